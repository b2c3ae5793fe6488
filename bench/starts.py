# SPDX-License-Identifier: GPL-3.0-or-later
"""What starting a program costs: /bin/true, by posix_spawn."""
import os
import time

import measure


def medians(taken):
    return tuple(measure.median(column) for column in zip(*taken))


def starts_ms(command, environment, times):
    """Elapsed, and CPU time of all processes."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        pid = os.posix_spawn(command[0], command, environment)
        usage = os.wait4(pid, 0)[2]
        taken.append((1000 * (time.perf_counter() - began), 1000 * (usage.ru_utime + usage.ru_stime)))
    return medians(taken)


def bench(tools, rounds, scale):
    times = max(10, int(100 * scale))
    out = tools.fresh()
    plain = dict(os.environ)
    preload = dict(plain, LD_PRELOAD=tools.program("libscprof.so"), SCPROF_OUT=out)
    run = [tools.program("scprof"), "run", "--no-report", "-o", f"{out}/run.scp", "--", "/bin/true"]

    def under_run():
        taken = []
        for _ in range(max(5, times // 10)):
            taken.append(starts_ms(run, quiet, 1))
            if os.path.exists(f"{out}/run.scp"):
                os.unlink(f"{out}/run.scp")
        return medians(taken)

    quiet = dict(plain)
    variants = {
        "plain": lambda: starts_ms(["/bin/true"], plain, times),
        "LD_PRELOAD=libscprof.so": lambda: starts_ms(["/bin/true"], preload, times),
        "scprof run": under_run,
    }
    steal = measure.Steal()
    saved = os.dup(2)
    null = os.open("/dev/null", os.O_WRONLY)
    os.dup2(null, 2) # scprof run says where its profile is
    try:
        results, failed = measure.interleave(variants, rounds)
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)
    measure.header("Starting /bin/true", "how", "ms", "added", "ms of CPU", "added")
    for name, values in results.items():
        if name in failed:
            measure.row(name, failed[name], *["-"] * 3)
            continue
        cells = []
        for own, plain in zip(zip(*values), zip(*results["plain"])):
            cells += [measure.spread(own), f"{measure.median([v - b for v, b in zip(own, plain)]):.2f}"]
        measure.row(name, *cells)
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")

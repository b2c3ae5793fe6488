# SPDX-License-Identifier: GPL-3.0-or-later
"""What starting a program costs: /bin/true, by posix_spawn; and taking a call path for the first time."""
import os
import shutil
import subprocess
import tempfile
import time

import measure


def starts_ms(command, environment, times):
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        pid = os.posix_spawn(command[0], command, environment)
        os.waitpid(pid, 0)
        taken.append(1000 * (time.perf_counter() - began))
    return measure.median(taken)


def system_calls(command, environment):
    """Of the command and its children; "-" without strace."""
    if not shutil.which("strace"):
        return "-"
    preload = [f"--env={name}={environment[name]}" for name in ("LD_PRELOAD", "SCPROF_OUT") if name in environment]
    done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/stdout", *preload, "--", *command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return sum("(" in line and "resumed>" not in line for line in done.stdout.splitlines())


def new_paths(tools, rounds):
    """Each of 2^14 paths once. Faults and the slowest call tell of the growth of the file and of the tables."""
    program = [tools.program("bench/new_paths"), "14"]
    measure.header("A call path that is new", "where", "ns a call", "CPU, ns", "slowest, us", "of memory, kB")
    for name, folder in (("plain", None), ("profile on tmpfs", "/dev/shm"), ("profile in TMPDIR", None)):
        results = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(dir=folder) as out:
                environment = dict(os.environ)
                if name != "plain":
                    environment.update(LD_PRELOAD=tools.program("libscprof.so"), SCPROF_OUT=out)
                done = subprocess.run(program, env=environment, text=True, stdout=subprocess.PIPE, check=True)
                kept = sum(os.stat(os.path.join(out, f)).st_blocks // 2 for f in os.listdir(out))
            first = done.stdout.split()
            results.append((float(first[2]), 1e6 * float(first[5]) / int(first[1]), int(first[3]) / 1000, kept))
        measure.row(name, *(f"{measure.median(column):.0f}" for column in zip(*results)))


def bench(tools, rounds, scale):
    times = max(10, int(100 * scale))
    out = tools.fresh()
    plain = dict(os.environ)
    preload = dict(plain, LD_PRELOAD=tools.program("libscprof.so"), SCPROF_OUT=out)
    scprof = tools.program("scprof")
    run = [scprof, "run", "-o", f"{out}/run.scp"]
    commands = {
        "plain": (["/bin/true"], plain, times),
        "LD_PRELOAD=libscprof.so": (["/bin/true"], preload, times),
        "scprof help run": ([scprof, "help", "run"], plain, times),
        "scprof run --no-report": ([*run, "--no-report", "--", "/bin/true"], plain, max(5, times // 10)),
        "scprof run": ([*run, "--", "/bin/true"], plain, max(5, times // 10)),
    }
    variants = {name: lambda how=how: starts_ms(*how) for name, how in commands.items()}
    steal = measure.Steal()
    saved = [os.dup(1), os.dup(2)]
    null = os.open("/dev/null", os.O_WRONLY)
    for fd in (1, 2):
        os.dup2(null, fd)
    try:
        results, failed = measure.interleave(variants, rounds)
    finally:
        for fd in (1, 2):
            os.dup2(saved[fd - 1], fd)
            os.close(saved[fd - 1])
        os.close(null)
    measure.header("Starting /bin/true", "how", "ms", "added", "system calls")
    for name, values in results.items():
        if name in failed:
            measure.row(name, failed[name], "-", "-")
            continue
        added = [v - b for v, b in zip(values, results["plain"])]
        measure.row(name, measure.spread(values), f"{measure.median(added):.2f}",
                    system_calls(*commands[name][:2]))
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")
    new_paths(tools, rounds)

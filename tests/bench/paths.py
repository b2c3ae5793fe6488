# SPDX-License-Identifier: GPL-3.0-or-later
"""What a report of very many call paths costs: it should grow with their number and no faster."""
import glob
import math
import os
import subprocess

import measure

LIBRARIES = 200
FORMATS = ("text", "json", "html", "pprof", "folded", "callgrind", "csv")


def libraries():
    found = {os.path.realpath(p) for d in ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib") for p in glob.glob(f"{d}/lib*.so.*")}
    return sorted(p for p in found if os.path.isfile(p))[:LIBRARIES]


def memory_of(command):
    """Peak in MB, by a process of its own: a parent's children share one maximum."""
    program = ("import resource,subprocess,sys;"
               "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True);"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    done = subprocess.run(["python3", "-c", program, *command], stdout=subprocess.PIPE, text=True, check=True)
    return int(done.stdout) * 1024 / 1e6


def power(before, now):
    """Of the number of paths, with which time grew since the row before: 1 is linear."""
    return f"{math.log(now[1] / before[1]) / math.log(now[0] / before[0]):.2f}" if before else ""


def bench(tools, rounds, scale):
    modules = libraries()
    out = tools.fresh()
    measure.header(f"Growth with the number of call paths, over {len(modules)} libraries",
                   "paths", "format", "processor time, s", "a path, us", "power of paths", "elapsed, s", "memory, MB")
    before = {}
    for paths in (int(n * scale) for n in (100_000, 300_000, 1_000_000)):
        profile = f"{out}/many.scp"
        subprocess.run([tools.program("bench/many_paths"), profile, str(paths), *modules], check=True)
        for form in FORMATS:
            # JSON of a million paths is 4 GB: it is written, but nowhere
            command = [tools.program("scprof"), "report", "--format", form, "-o", "/dev/null", profile]
            runs = [measure.spend(command, out) for _ in range(rounds)]
            wall, cpu = min(r.wall for r in runs), min(r.cpu for r in runs)
            measure.row(f"{paths:,}", form, f"{cpu:.2f}", f"{cpu / paths * 1e6:.2f}", power(before.get(form), (paths, cpu)), f"{wall:.2f}",
                        f"{memory_of(command):.0f}")
            before[form] = paths, cpu
        os.unlink(profile)
    tools.forget(out)

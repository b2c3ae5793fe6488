# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory and file against the number of calls: neither should grow."""
import glob
import os
import subprocess

import measure


def run_once(tools, calls, preload):
    out = tools.fresh()
    environment = dict(os.environ)
    if preload:
        environment.update(LD_PRELOAD=tools.program("libscprof.so"), SCPROF_OUT=out)
    done = subprocess.run([tools.program("bench/deep_call"), "call", str(calls)], env=environment, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600, check=True)
    size = sum(os.path.getsize(f) for f in glob.glob(f"{out}/*.scp"))
    tools.forget(out)
    return int(done.stdout.split()[1]), size


def bench(tools, most):
    measure.header("Growth with the number of calls", "calls", "memory, kB", "of it scprof's", "file, bytes")
    calls = 1_000_000
    while calls <= most:
        plain, _ = run_once(tools, calls, False)
        memory, size = run_once(tools, calls, True)
        measure.row(f"{calls:,}", memory, memory - plain, f"{size:,}")
        calls *= 10

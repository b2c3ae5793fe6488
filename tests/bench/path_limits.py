# SPDX-License-Identifier: GPL-3.0-or-later
"""Very many call paths: an interpreter's own functions, random recursion, the end of a run and its report."""
import glob
import json
import os
import re
import shutil
import subprocess

import measure
import programs
import workloads

LIBPYTHON = "libpython*:*"
SCRIPT = "x = [str(i) for i in range(3600)]"



def shared_python():
    """An interpreter whose code is in libpython: most are linked without it."""
    names = [shutil.which("python3.12"), *sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.12*/bin/python3.12")))]
    for name in filter(None, names):
        real = subprocess.run([name, "-c", "import sys; print(sys.executable)"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.strip()
        libraries = subprocess.run(["ldd", real], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   check=False).stdout if real else ""
        if re.search(r"libpython3\S* => /", libraries):
            return real
    raise measure.Failure("no python3.12 here whose libpython is a shared object")


def told(report):
    """What the report says of recording itself, wherever in it."""
    found = {}

    def search(part):
        for key, value in part.items() if isinstance(part, dict) else ():
            if isinstance(value, (int, float)) and re.search("recording|walk", key):
                found[key] = value
            search(value)
    search({key: value for key, value in report.items() if key not in ("sites", "gaps", "loops")})
    return ", ".join(f"{key} {value:,.6g}" for key, value in found.items()) or "nothing"


def bench_python(tools, rounds, scale):
    steal = measure.Steal()
    try:
        python = shared_python()
    except measure.Failure as reason:
        print(f"\n{reason}")
        return
    profile, spent = f"{tools.fresh()}/python.scp", {}

    def run(name, prefix):
        def once():
            spent[name] = measure.spend([*prefix, python, "-c", SCRIPT], os.path.dirname(profile))
            return spent[name].cpu
        return once
    watch = [tools.program("scprof"), "run", "-s", LIBPYTHON, "--no-report", "-o", profile, "--"]

    def watched():
        if os.path.exists(profile):
            os.unlink(profile)
        return run("scprof", watch)()
    rounds = rounds if scale == 1 else 1
    results, failed = measure.interleave({"plain": run("plain", []), "scprof": watched}, rounds)
    measure.header(f"python3.12 -c '{SCRIPT}' under scprof run -s '{LIBPYTHON}'", "plain, s of CPU", "under scprof", "ratio", "calls",
                   "call paths", "sites of one call", "gap records", "bytes", "told of recording")
    if failed:
        measure.row(*failed.values())
        return
    calls, paths, sites, once, gaps = programs.counts(tools, profile)
    report = json.loads(subprocess.run([tools.program("scprof"), "report", "--format", "json", profile], check=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    measure.row(measure.spread(results["plain"], "{:.3f}"), measure.spread(results["scprof"], "{:.2f}"),
                measure.spread(measure.ratios(results["scprof"], results["plain"]), "{:.0f}"), f"{calls:,}", f"{paths:,}",
                f"{100 * once / sites:.0f} %", f"{gaps:,}", f"{os.path.getsize(profile):,}", told(report))
    tools.forget(os.path.dirname(profile))
    print(f"\n{rounds} rounds; CPU time of all processes; the host stole {steal.percent():.1f} % of the CPUs' time")


def torture(tools, kind, paths, watched):
    """What random_paths prints, and the profile's bytes, as numbers."""
    out = tools.fresh()
    try:
        line = [tools.program("bench/random_paths"), kind, str(paths)]
        if watched:
            line = [tools.program("scprof"), "run", "--no-report", "-o", f"{out}/p.scp", "--", *line]
        spent = measure.spend(line, out)
        size = os.path.getsize(f"{out}/p.scp") if watched else 0
        kept = programs.counts(tools, f"{out}/p.scp")[1] if watched else 0
        return [float(n) for n in spent.text.split()] + [spent.cpu, size, kept]
    finally:
        tools.forget(out)


def bench_torture(tools, rounds, scale):
    steal = measure.Steal()
    measure.header("Random call paths through 50 functions, each taken twice", "paths", "number", "frames", "first call adds, ns",
                   "second call adds, ns", "CPU time of all processes, added a path, us", "memory added, bytes a path",
                   "file, bytes a path", "paths in the profile")
    for kind in ("tree", "apart"):
        for paths in (int(n * scale) for n in (1_000, 10_000, 100_000, 1_000_000)):
            pairs = []
            try:
                for _ in range(rounds if paths <= 10_000 else 1):
                    pairs.append((torture(tools, kind, paths, False), torture(tools, kind, paths, True)))
            except measure.Failure as reason:
                measure.row(kind, f"{paths:,}", reason, *["-"] * 6)
                continue
            added = [measure.median([b[i] - a[i] for a, b in pairs]) for i in range(7)]
            measure.row(kind, f"{paths:,}", f"{pairs[0][0][2]:.1f}", f"{added[0]:,.0f}", f"{added[1]:,.0f}",
                        f"{added[4] / paths * 1e6:,.2f}", f"{added[3] * 1024 / paths:,.0f}", f"{added[5] / paths:,.0f}", f"{added[6]:,.0f}")
    print(f"\nmedians of {rounds} pairs of runs, plain and scprof run, of one from 100,000 paths on; CPU time of the thread, page faults "
          f"included.\nThe host stole {steal.percent():.1f} % of the CPUs' time")


def end_of_run(tools, paths):
    """Seconds from the program's last act to the return of scprof run, and CPU seconds of all."""
    out = tools.fresh()
    try:
        spent = measure.spend([tools.program("scprof"), "run", "--no-report", "-o", f"{out}/p.scp", "--",
                               tools.program("bench/known_paths"), "new", "25", str(paths), "100"], out)
        return spent.ended - int(spent.text.split()[1]) / 1e9
    finally:
        tools.forget(out)


def report_of_compiler(tools, rounds):
    inputs = tools.fresh()
    try:
        _, work = workloads.preprocessed(inputs, "work.i", 50)
        profile = f"{inputs}/p.scp"
        measure.spend([tools.program("scprof"), "run", "-g", "alloc", "--no-report", "-o", profile, "--", *work.line], inputs)
        sites = programs.counts(tools, profile)[2]
        line = [tools.program("scprof"), "report", "-o", f"{inputs}/report"]
        ways = {name: (lambda extra=extra: measure.spend([*line, *extra, profile], inputs).cpu)
                for name, extra in (("text", []), ("JSON", ["--format", "json"]))}
        results, failed = measure.interleave(ways, rounds)
        for name in ways:
            measure.row(f"report of cc1, {sites:,} sites: {name}", "CPU", failed.get(name) or measure.spread(results[name], "{:.3f}"))
    except measure.Failure as reason:
        measure.row("report of cc1", "-", reason)
    finally:
        tools.forget(inputs)


def bench_end(tools, rounds, scale):
    steal = measure.Steal()
    sizes = {paths: (lambda paths=paths: end_of_run(tools, paths)) for paths in (100, int(10_000 * scale), int(100_000 * scale))}
    results, failed = measure.interleave(sizes, rounds)
    measure.header("The end of a run, and its report", "what", "time", "s")
    for paths in sizes:
        measure.row(f"from the end of a program of {paths:,} paths to the return of scprof run", "elapsed",
                    failed.get(paths) or measure.spread(results[paths], "{:.3f}"))
    report_of_compiler(tools, rounds)
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")

# SPDX-License-Identifier: GPL-3.0-or-later
"""What finding the call path costs: one that was seen before but is not the last one at its place,
and one that is new; beside libunwind, which walks the same stack. CPU time of the thread."""
import os

import measure

PATHS = (1, 2, 8, 64, 1024)
FRAMES = (15, 25)
CLOCKS = ("page", "tsc")
NEW = 100_000


def ns_a_call(tools, program, arguments, options=None):
    def once():
        out = tools.fresh()
        try:
            line = [tools.program(f"bench/{program}"), *map(str, arguments)]
            if options:
                line = [tools.program("scprof"), "run", *options, "--no-report", "-o", f"{out}/p.scp", "--", *line]
            return float(measure.spend(line, out).text.split()[0])
        finally:
            tools.forget(out)
    return once


def bytes_of(tools, paths):
    """The profile's."""
    out = tools.fresh()
    try:
        measure.spend([tools.program("scprof"), "run", "--no-report", "-o", f"{out}/p.scp", "--", tools.program("bench/known_paths"),
                       "new", "25", str(paths), "100"], out)
        return os.path.getsize(f"{out}/p.scp")
    finally:
        tools.forget(out)


def ways(tools, *arguments):
    return {"plain": ns_a_call(tools, "known_paths", arguments),
            **{clock: ns_a_call(tools, "known_paths", arguments, ["-c", clock]) for clock in CLOCKS},
            "unw_backtrace": ns_a_call(tools, "known_paths_unwind", arguments)}


def row(title, results, failed):
    added = {name: [v - b for v, b in zip(values, results["plain"])] for name, values in results.items()}
    cells = [failed.get(name) or measure.spread(added[name], "{:.0f}") for name in (*CLOCKS, "unw_backtrace")]
    beyond = [v - u for v, u in zip(added["page"], added["unw_backtrace"])]
    measure.row(*title, measure.spread(results["plain"], "{:.0f}"), *cells, measure.spread(beyond, "{:+.0f}"))


def bench(tools, rounds, scale):
    columns = ("plain, ns", "page clock adds", "tsc adds", "unw_backtrace adds", "page clock beyond unw_backtrace")
    steal = measure.Steal()
    measure.header("A call from a call path that is known", "call paths in turn", "frames", "stack pointer and place", *columns)
    for mode in ("same", "apart"):
        for frames in FRAMES:
            for paths in PATHS:
                results, failed = measure.interleave(ways(tools, mode, frames, paths, int(200_000 * scale)), rounds)
                row((f"{paths:,}", frames, "the same" if mode == "same" else "different"), results, failed)
    measure.header("A call from a new call path, 25 frames", "call paths", *columns)
    paths = int(NEW * scale)
    results, failed = measure.interleave(ways(tools, "new", 25, paths, 100), rounds)
    row((f"{paths:,}",), results, failed)
    print(f"\nfile: {bytes_of(tools, paths) / paths:,.0f} bytes a path that is taken once")
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")

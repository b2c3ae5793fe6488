# SPDX-License-Identifier: GPL-3.0-or-later
"""What states (`run --states`) add to a call that is not switched, to a server's request, and what
they are good for: means of CPU time of a server that shares its CPUs with others (docs/performance.md)."""
import glob
import os
import re
import subprocess

import known
import measure
import servers

CALLS = 5_000_000
INSTRUCTIONS_OF = 21_000 # calls; and of twice as many
CLOCKS = ("page", "tsc")
MODES = {"call": "", "chosen": "-s libempty.so:empty_chosen", "chosen-inside": "-s libempty.so:empty_*", "malloc": "-g alloc"}
STATES = ("off", "budget", "exact")


def quartiles(values, form="{:.2f}"):
    ordered = sorted(values)
    n = len(ordered)
    return f"{form.format(measure.median(ordered))} ({form.format(ordered[n // 4])} to {form.format(ordered[3 * n // 4])})"


def tool(clock, states, mode):
    return f"scprof -c {clock} --states {states} {MODES[mode]}".strip()


def instructions(tools, name, mode, calls):
    """Of a run under callgrind, which has no rseq: by another detector, whose check of a call is the
    same. What happens at the start and at the end is in it."""
    out = tools.fresh()
    try:
        tools.output_of(tools.wrap(name, ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}/callgrind",
                                          tools.program("bench/deep_call"), mode, str(calls)])[0], tools.fresh())
        with open(f"{out}/callgrind") as f:
            return int(re.search(r"^(?:summary|totals): (\d+)", f.read(), re.M).group(1))
    finally:
        tools.forget(out)


def instructions_a_call(tools, name, mode):
    """What twice as many calls take besides: a repetition has a twenty-first, and one is warmed up by
    a tenth of that."""
    few, many = (instructions(tools, name, mode, n) for n in (INSTRUCTIONS_OF, 2 * INSTRUCTIONS_OF))
    return (many - few) / (INSTRUCTIONS_OF * (1 + 0.1 / 21))


def bench_calls(tools, rounds, scale):
    deep = tools.program("bench/deep_call")
    variants = {}
    for mode in MODES:
        for clock in CLOCKS:
            for states in STATES:
                def once(mode=mode, clock=clock, states=states):
                    command = [deep, mode, str(int(CALLS * scale))]
                    return float(tools.output(tool(clock, states, mode), command).split()[0])
                variants[mode, clock, states] = once
    steal = measure.Steal()
    results, failed = measure.interleave(variants, 4 * rounds)
    measure.header("What states add to a call that is not switched", "call", "clock", "states", "ns a call",
                   "more than off, pair by pair (quartiles)", "instructions a call (callgrind)")
    for (mode, clock, states), ns in results.items():
        if (mode, clock, states) in failed:
            measure.row(mode, clock, states, failed[mode, clock, states], "-", "-")
            continue
        more = [a - b for a, b in zip(ns, results[mode, clock, "off"])]
        try:
            counted = f"{instructions_a_call(tools, tool(clock, states, mode), mode):.1f}"
        except measure.Failure:
            counted = "-" # no valgrind here; or it preloads no stubs for -s
        measure.row(mode, clock, states, quartiles(ns, "{:.1f}"), quartiles(more, "{:+.2f}"), counted)
    print(f"\n{4 * rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")


def bench_servers(tools, rounds, scale):
    names = ["plain", "plain again"]
    names += [f"scprof -c {clock} --states {states}" for clock in CLOCKS for states in ("off", "budget")]
    servers.bench(tools, rounds, scale, names, [f"scprof -c {clock} --states off" for clock in CLOCKS])


# ---- the same server beside more and more others ----

LOADS = (0, 2, 4, 8) # busy loops, on the server's CPU
FUNCTIONS = ("read", "write", "epoll_wait")
REQUESTS = 1_000_000
KINDS = ("mean", "on_cpu", "runnable", "asleep")


def loaded_run(tools, loops, requests):
    """The report of a redis-server beside so many busy loops, by function."""
    reports = []
    server = servers.Redis(tools, "scprof -c tsc -g socket,wait")
    server.server.at_end = lambda out: reports.append(known.report_of(tools, glob.glob(f"{out}/*.scp")[0]))
    try:
        with known.load(loops > 0, loops, lambda: os.sched_setaffinity(0, {0})):
            subprocess.run(servers.pinned(1, ["redis-benchmark", "-h", "127.0.0.1", "-p", str(server.port), "-P", "16", "-n",
                                              str(requests), "-t", "get", "--csv"]),
                           capture_output=True, timeout=300, check=True)
    finally:
        server.close()
    if not reports:
        raise measure.Failure("no profile was written")
    return reports[0]


def interval_of(site, kind):
    return site if kind == "mean" else (site["states"] or {}).get(kind)


def cell(interval):
    if not interval:
        return "-"
    low, high = interval["ci_low_ns"], interval["ci_high_ns"]
    limits = "[?]" if low is None or high is None else f"[{low:,.0f}, {high:,.0f}]"
    return f"{interval['mean_ns']:,.0f} {limits}"


def bench_loads(tools, runs, scale):
    """Each load so many times, in turn."""
    measure.header("redis-server beside busy loops on its CPU, redis-benchmark -P 16 -t get: ns a call", "busy loops", "function", "calls",
                   "elapsed", "on the CPU", "runnable", "asleep")
    means = {}
    steal = measure.Steal()
    for _ in range(runs):
        for loops in LOADS:
            report = loaded_run(tools, loops, int(REQUESTS * scale))
            for s in report["sites"]:
                if s["symbol"] not in FUNCTIONS or s["outcome"] != "completed":
                    continue
                found = [interval_of(s, kind) for kind in KINDS]
                measure.row(loops, s["symbol"], s["calls"], *(cell(i) for i in found))
                means.setdefault(s["symbol"], []).append([i and i["mean_ns"] for i in found])
    measure.header("Largest mean of the runs over the smallest", "function", "runs", "elapsed", "on the CPU")
    for symbol, rows in means.items():
        ratios = []
        for k in range(2):
            column = [r[k] for r in rows if r[k]]
            ratios.append(f"{max(column) / min(column):.3f}" if column and min(column) > 0 else "-")
        measure.row(symbol, len(rows), *ratios)
    print(f"\n{os.cpu_count()} CPUs; the host stole {steal.percent():.1f} % of their time")


# ---- a thread for each request ----

SHORT_THREADS = 4000


def bench_threads(tools, rounds, scale):
    """CPU time a thread, in turn; and whether intervals contain what the threads found themselves."""
    program, threads = tools.program("bench/short_threads"), str(int(SHORT_THREADS * scale))
    ways = {"plain": "plain"} | {s: f"scprof -c tsc -g socket,wait,io --states {s}" for s in STATES}
    variants = {w: lambda tool=tool: float(tools.output(tool, [program, threads, "silent"]).split()[0]) / 1000
                for w, tool in ways.items()}
    steal = measure.Steal()
    results, failed = measure.interleave(variants, 4 * rounds)
    measure.header("A thread for each of 4000 requests: CPU time a thread, us", "states", "CPU time (quartiles)", "more than off, %",
                   "intervals that contain the truth", "off the CPU / truth (quartiles)", "readings a thread")
    for way, us in results.items():
        if way in failed:
            measure.row(way, failed[way], *["-"] * 4)
            continue
        more = [100 * (a / b - 1) for a, b in zip(us, results["off"])]
        inside, ratios, readings = judge_threads(tools, ways[way], program, threads, 4 * rounds) if way in ("budget", "exact") else (None, [], [])
        measure.row(way, quartiles(us, "{:.1f}"), quartiles(more, "{:+.1f}"), inside or "-", quartiles(ratios, "{:.3f}") if ratios else "-",
                    f"{measure.median(readings):.2f}" if readings else "-")
    print(f"\n{4 * rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")


def judge_threads(tools, tool, program, threads, runs):
    """Of ppoll: intervals of CPU time that contain the threads' own mean, those that warn, and all."""
    inside = warned = 0
    ratios, readings = [], []
    for _ in range(runs):
        line, out = tools.wrap(tool, [program, threads])
        said = known.run(line).split()
        report = known.report_of(tools, f"{out}/p.scp")
        site = next(s for s in report["sites"] if s["symbol"] == "ppoll")
        elapsed, cpu = float(said[2]), float(said[3])
        found = site["states"]["on_cpu"]
        inside += found["ci_low_ns"] <= cpu <= found["ci_high_ns"]
        warned += bool(site["states"]["doubts"])
        ratios.append((site["states"]["runnable"]["mean_ns"] + site["states"]["asleep"]["mean_ns"]) / (elapsed - cpu))
        readings.append(report["switches"]["readings"] / int(threads))
        tools.forget(out)
    return f"{inside} of {runs}, {warned} warn", ratios, readings


PARTS = {"states-calls": bench_calls, "states-servers": bench_servers, "states-threads": bench_threads}

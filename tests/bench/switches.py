# SPDX-License-Identifier: GPL-3.0-or-later
"""Does this kernel tell a thread that it was switched? Without scprof: rseq_cs and the lock words
of perf events against getrusage, in 10^6 calls a run, and what an event costs a switch. Then what
scprof says of its own detectors in as many calls. To judge a new kernel by."""
import json
import os

import known
import measure

CALLS = 1_000_000
PRICE_ROUNDS = 210_000
# What, busy loops, whether all are on one CPU.
SITUATIONS = (("left alone", 0, False), ("beside four busy loops", 4, False), ("on one CPU with them", 4, True))
DETECTORS = ("rseq", "perf", "sampled")


def pin():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def own(tools, mode, count, front=None):
    return json.loads(known.run([tools.program("bench/switches"), mode, str(count)], front, timeout=300))


def watched(tools, detector, calls, front):
    """(what the program says, the report's word on switches) of a run."""
    out = tools.fresh()
    profile = f"{out}/p.scp"
    try:
        said = known.run(["env", f"SCPROF_DETECTOR={detector}", tools.program("scprof"), "run", "-g", "socket,wait",
                          "--no-report", "-o", profile, "--", tools.program("bench/switches"), "calls", str(calls)],
                         front, timeout=300)
        return json.loads(said), known.report_of(tools, profile).get("switches")
    finally:
        tools.forget(out)


def rare(count, of):
    """A share, with its upper limit."""
    return f"{count} (at most {100 * known.clopper_pearson(count, of)[1]:.4f} %)" if of else "-"


def print_detectors(tools, runs, calls):
    measure.header("Switches, without scprof", "situation", "detector", "calls", "switched, by getrusage",
                   "seen", "missed, of those switched", "unfounded, of those not", "of them without a change of CPU")
    for title, loops, together in SITUATIONS:
        front = pin if together else None
        with known.load(loops > 0, loops, front):
            said = [own(tools, "compare", calls, front) for _ in range(runs)]
        made, switched = (sum(s[key] for s in said) for key in ("calls", "switched"))
        for detector in said[0]["detectors"]:
            found = [s["detectors"][detector] for s in said]
            if None in found:
                measure.row(title, detector, "not to be had", *["-"] * 5)
                continue
            seen, missed, unfounded, stayed = (sum(f[key] for f in found)
                                               for key in ("seen", "missed", "unfounded", "unfounded_same_cpu"))
            measure.row(title, detector, made, switched, seen, rare(missed, switched), rare(unfounded, made - switched), stayed)


def print_watched(tools, runs, calls):
    measure.header("Switches, as scprof says", "situation", "asked for", "detector", "calls", "switched, by getrusage",
                   "segments verified", "missed", "unfounded", "readings")
    for title, loops, together in SITUATIONS:
        front = pin if together else None
        for asked in DETECTORS:
            with known.load(loops > 0, loops, front):
                done = [watched(tools, asked, calls, front) for _ in range(runs)]
            if any(switches is None for _, switches in done):
                measure.row(title, asked, "states are not recorded", *["-"] * 6)
                continue
            verified, missed, unfounded, readings = (sum(s[key] for _, s in done)
                                                     for key in ("verified", "missed", "unfounded", "readings"))
            measure.row(title, asked, ", ".join(sorted({str(s["detector"]) for _, s in done})),
                        sum(p["calls"] for p, _ in done), sum(p["switched"] for p, _ in done), verified,
                        rare(missed, verified), rare(unfounded, verified), readings)


def print_price(tools, rounds):
    said = own(tools, "price", rounds)
    measure.header("What a perf event costs a switch: two processes on one CPU, a byte through a pipe each time",
                   "event of each process", "ns a switch, median (quartiles)", "added, ns")
    for name, ns in said.items():
        if ns is None:
            measure.row(name, "not to be had", "-")
        else:
            measure.row(name, f"{ns[0]:,.0f} ({ns[1]:,.0f} to {ns[2]:,.0f})", f"{ns[0] - said['none'][0]:+,.0f}")


def bench(tools, runs, scale):
    steal = measure.Steal()
    calls = int(CALLS * scale)
    print_detectors(tools, runs, calls)
    print_price(tools, int(PRICE_ROUNDS * scale))
    print_watched(tools, runs, calls)
    print(f"\n{runs} runs each; the host stole {steal.percent():.1f} % of the CPUs' time")

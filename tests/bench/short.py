# SPDX-License-Identifier: GPL-3.0-or-later
"""Do means of short functions say what these take? Functions of 0 to 1000 ns (chains of
multiplications, independent work, loads, branches), whose truth the program itself finds by
calling them past the wrappers, in turn with the watched calls (short_calls.c)."""
import collections

import known
import measure

LENGTHS = ("10", "20", "30", "70", "100", "300", "1000")
CLOCKS = ("tsc", "dual", "page", "coarse", "monotonic", "thread-cpu")
SLOW = ("page", "coarse")
CALLS = 200_000
CALLS_OF_SLOW = 1_500_000
WAYS = {"wrapped": ("send", ""), "chosen": ("chosen", "-s short_work")}


def truths(text):
    """{case: (kind, ns where calls follow each other, ns where a fence parts them)}"""
    lines = (line.split() for line in text.splitlines())
    return {name: (kind, float(chained), float(fenced)) for name, kind, _, chained, fenced in lines}


def rows(report):
    found = {}
    for site in report["sites"]:
        for frame in site["stack"][:2]:
            if (frame["function"] or "").startswith("case_"):
                found[frame["function"]] = site
    return found


def nearest(mean, truth):
    """How far off, of the two truths (they differ where a fence hides nothing) the nearer."""
    return min((mean - t for t in truth), key=abs)


class Tally:
    def __init__(self):
        self.off, self.wide = collections.defaultdict(list), []
        self.right = self.held = self.of = self.unswitched = 0

    def add(self, kind, truth, site):
        low, high = site["ci_low_ns"], site["ci_high_ns"]
        kept = ((site["states"] or {}).get("unswitched") or {}).get("mean_ns")
        # one below what can be told is null
        mean = site["raw_mean_ns"] - site["overhead_ns"] if site["mean_ns"] is None else site["mean_ns"]
        error = nearest(mean, truth)
        limit = 3 + 0.02 * max(truth)
        self.of += 1
        self.right += abs(error) <= limit
        self.held += low is not None and low <= max(truth) and min(truth) <= high
        self.unswitched += abs(nearest(mean if kept is None else kept, truth)) <= limit
        self.off[kind].append(error if kept is None else nearest(kept, truth))


def bench(tools, runs, scale):
    tallies = collections.defaultdict(Tally)
    steal = measure.Steal()
    for _ in range(runs):
        for clock in CLOCKS:
            calls = int(scale * (CALLS_OF_SLOW if clock in SLOW else CALLS))
            for way, (how, options) in WAYS.items():
                command = [tools.program("bench/short_calls"), how, str(calls), *LENGTHS]
                text, report, _ = known.watched(tools, f"-c {clock} {options}", command, by="path",
                                                front=known.first_in_line)
                sites = rows(report)
                for name, (kind, *truth) in truths(text).items():
                    if name in sites:
                        tallies[clock, way].add(kind, truth, sites[name])
    kinds = ("empty", "chain", "parallel", "loads", "branches")
    measure.header(f"Short functions, {runs} runs, {steal.percent():.1f} % stolen: means of 0 to 1000 ns",
                   "clock, way", "within 3 ns + 2 %", "truth is inside", "of calls that kept their CPU, within",
                   *(f"off by, ns: {kind}" for kind in kinds))
    for (clock, way), t in tallies.items():
        measure.row(f"{clock}, {way}", known.share(t.right, t.of), known.share(t.held, t.of),
                    known.share(t.unswitched, t.of),
                    *(measure.spread(t.off[kind], "{:+.1f}") if t.off[kind] else "-" for kind in kinds))

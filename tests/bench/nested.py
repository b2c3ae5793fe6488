# SPDX-License-Identifier: GPL-3.0-or-later
"""Do means of functions say what these take, when what they call is recorded, too? An outer function
that calls a short one 1,000 times, on short and on long paths (nested_calls.c)."""
import collections
import statistics

import known
import measure
import short

LENGTHS = ("7", "20", "60", "200")
CLOCKS = ("tsc", "dual", "monotonic")
FRAMES = (0, 12, 40)
OUTER, INNER = 300, 1000
WAYS = {"wrapped": ("send", "-s outer_work"), "chosen": ("chosen", "-s outer_work,short_work")}


def truths(text):
    """{case: ns of an outer call}"""
    return {name: float(ns) for name, _, ns in (line.split() for line in text.splitlines())}


class Tally:
    """Of an inner call, in ns: how far off the outer mean is, and half of its interval."""

    def __init__(self):
        self.off, self.half, self.subtracted = [], [], []
        self.held = self.of = 0

    def add(self, truth, site):
        kept = (site["states"] or {}).get("unswitched") or site
        mean, low, high = kept["mean_ns"], kept["ci_low_ns"], kept["ci_high_ns"]
        if mean is None or low is None:
            return
        self.of += 1
        self.held += low <= truth <= high
        self.off.append((mean - truth) / INNER)
        self.half.append((high - low) / 2 / INNER)
        self.subtracted.append(site["inner_overhead_ns"] / INNER)


def bench(tools, runs, scale):
    tallies = collections.defaultdict(Tally)
    steal = measure.Steal()
    for _ in range(runs):
        for clock in CLOCKS:
            for frames in FRAMES:
                for way, (how, options) in WAYS.items():
                    command = [tools.program("bench/nested_calls"), how, str(max(int(OUTER * scale), 1)), str(INNER),
                               str(frames), *LENGTHS]
                    text, report, _ = known.watched(tools, f"-c {clock} {options}", command, by="path",
                                                    front=known.first_in_line)
                    report["sites"] = [site for site in report["sites"] if site["symbol"] == "outer_work"]
                    sites = short.rows(report)
                    for name, truth in truths(text).items():
                        if name in sites:
                            tallies[clock, way, frames].add(truth, sites[name])
    measure.header(f"{INNER} recorded calls of 0 to 200 ns inside one, {runs} runs, {steal.percent():.1f} % stolen: "
                   "mean of the outer calls that kept their CPU, by inner call",
                   "clock, way, frames more", "truth is inside", "subtracted, ns", "off by, ns", "half of the interval, ns")
    for (clock, way, frames), t in tallies.items():
        measure.row(f"{clock}, {way}, {frames}", known.share(t.held, t.of),
                    f"{statistics.median(t.subtracted):.1f}", measure.spread(t.off, "{:+.1f}"),
                    f"{statistics.median(t.half):.1f}")

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Prometheus says of a fleet beside what scprof says of the same, merged profiles.

compare.py DIRECTORY: answers of queries in NAME.json, the report in report.json. Prints one line
a number. Exits 1 where sums differ: calls, ticks, bytes by one; times, and the standard error that
follows from the sums of squares, by more than the clock's rate is uncertain by; or the mean by more
than scprof's own share. What the dependence of calls adds to that error is estimated in other ways
here and there: those lines are to be read, not to be equal.
"""
import json
import math
import os
import sys

# A counter's rate is measured while it runs; the agents' sums hold the rate of each moment.
RATE = 1e-3
Z = 1.959964


def series(directory, name):
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
        answer = json.load(file)
    return {(r["metric"]["function"], r["metric"]["outcome"]): float(r["value"][1])
            for r in answer["data"]["result"]}


def student(freedom):
    """The 97.5 % quantile of Student's distribution, by Simpson's rule and bisection."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def above(t, steps=400):
        """Probability between 0 and t."""
        h = t / steps
        weights = [1] + [4, 2] * (steps // 2 - 1) + [4, 1]
        return h / 3 * sum(w * (1 + (i * h) ** 2 / freedom) ** (-(freedom + 1) / 2)
                           for i, w in enumerate(weights)) * scale

    low, high = 0.0, 64.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if above(middle) < 0.475 else (low, middle)
    return low


class Table:
    def __init__(self):
        self.bad = 0
        print(f"{'':24}{'':26}{'PromQL, three hosts':>24}{'merge + report':>24}{'difference':>13}")

    def row(self, key, what, have, want, most):
        apart = abs(have - want) / abs(want) if want else abs(have)
        wrong = not apart <= most
        self.bad += wrong
        print(f"{' '.join(key):24}{what:26}{have:24.15g}{want:24.15g}{apart:12.2e}"
              f"{' WRONG' if wrong else ''}")


def compare(directory):
    with open(os.path.join(directory, "report.json"), encoding="utf-8") as file:
        sites = {(s["symbol"], s["outcome"]): s for s in json.load(file)["sites"]}
    names = ("calls", "ticks", "bytes", "seconds", "overhead_seconds", "mean_seconds",
             "half_width_independent", "half_width", "half_width_hosts", "wilson_low_seconds",
             "wilson_high_seconds", "half_width_5m", "freedom_5m", "quantile_5m")
    have = {name: series(directory, name) for name in names}
    table = Table()
    if set(have["calls"]) != set(sites):
        print("rows differ:", sorted(have["calls"]), sorted(sites))
        return 1
    for key, site in sorted(sites.items()):
        overhead = site["overhead_ns"] or 0
        table.row(key, "calls", have["calls"][key], site["calls"], 0)
        table.row(key, "ticks", have["ticks"][key], site["ticks"], 0)
        table.row(key, "bytes", have["bytes"][key], site["bytes"], 0)
        table.row(key, "time (s)", have["seconds"][key],
                  (site["mean_ns"] + overhead) * site["calls"] / 1e9, RATE)
        table.row(key, "overhead (s)", have["overhead_seconds"][key],
                  overhead * site["calls"] / 1e9, 1)
        table.row(key, "mean (ns)", have["mean_seconds"][key] * 1e9, site["mean_ns"],
                  overhead / abs(site["mean_ns"]))
        # The report's error holds dependence (the design effect) and the overhead's own error.
        error, own = site["standard_error_ns"], site["overhead_error_ns"] or 0
        batches = site["method"] == "batch-t"  # else too few ticks for squares to tell
        table.row(key, "error, independent (ns)", have["half_width_independent"][key] / Z * 1e9,
                  math.sqrt((error ** 2 - own ** 2) / (site["design_effect"] or 1)),
                  RATE if batches else math.inf)
        table.row(key, "error, by hosts (ns)", have["half_width_hosts"][key] / Z * 1e9, error,
                  math.inf)
        table.row(key, "error, by effects (ns)", have["half_width"][key] / Z * 1e9, error,
                  math.inf)
        freedom = have["freedom_5m"].get(key, math.nan)
        if batches or freedom > 0:  # none where no reading saw a tick
            quantile = have["quantile_5m"][key]
            table.row(key, "error, 5 min window (ns)", have["half_width_5m"][key] / quantile * 1e9,
                      error, math.inf)
            table.row(key, f"quantile, {freedom:.1f} d.f.", quantile, student(freedom),
                      0.05 if freedom >= 2 else math.inf)
        print(f"{' '.join(key):24}95 % interval: PromQL {have['mean_seconds'][key] * 1e9:.1f} +- "
              f"{have['half_width_hosts'][key] * 1e9:.1f} ns, report {site['ci_low_ns']:.1f} to "
              f"{site['ci_high_ns']:.1f} ns ({site['method']})")
        if key in have["wilson_low_seconds"]:
            low, high = have["wilson_low_seconds"][key], have["wilson_high_seconds"][key]
            print(f"{' '.join(key):24}95 % interval by ticks, overhead included: PromQL "
                  f"{low * 1e9:.1f} to {high * 1e9:.1f} ns, report "
                  f"{site['ci_low_ns'] + overhead:.1f} to {site['ci_high_ns'] + overhead:.1f} ns")
    return 1 if table.bad else 0


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Replications of the DASH experiment: from profiles to numbers.

Equations are those of H. Beilner, "Measuring with Slow Clocks", TR-88-003, 1988. Durations are in
microseconds, ticks are those of the slow clock. All sums are as measured: what a point costs (the
report subtracts it) is in them, as it was in the paper.
"""
import json
import math
import re
import statistics
import subprocess

# Each process's points in the order that it passes them (Figure 16); between 4 and 11, 10 and 5 the
# other one has the CPU.
CHAINS = ((1, 2, 3, 4, 11, 12), (5, 6, 7, 8, 9, 10))
CYCLES = ((1, 1), (5, 5))
WAITS = ((4, 11), (10, 5))
CONFIDENCE = 0.95
NORMAL = statistics.NormalDist()
Z = NORMAL.inv_cdf(0.5 + CONFIDENCE / 2)


class Unfit(Exception):
    """Profiles that are not those of this experiment, or lack something."""


def steps(process):
    """The six intervals of a process's chain, 0 or 1, in order."""
    chain = CHAINS[process]
    return [(a, chain[(k + 1) % 6]) for k, a in enumerate(chain)]


TWELVE = steps(0) + steps(1)


class Interval:
    """What one replication says of one interval."""

    def __init__(self, site, tick_us):
        slow = site["slow"]
        self.tick_us = tick_us
        self.calls = site["calls"]
        self.ticks = slow["ticks"]
        self.fast_units = site["ticks"]
        self.fast_us = site["raw_mean_ns"] / 1e3
        # the report's, without what a point costs
        self.true_us = site["mean_ns"] / 1e3
        self.low_us, self.high_us = slow["ci_low_ns"] / 1e3, slow["ci_high_ns"] / 1e3
        self.method = slow["method"]
        self.fast_mean_variance = independent_variance(site)

    def slow_us(self):
        """Equation 6b."""
        return self.tick_us * self.ticks / self.calls


def independent_variance(site):
    """VT/n in square microseconds from the fast clock: the variance of the mean as if calls were
    independent of one another, which is what (10c) has. None where the report does not say."""
    error, effect = site["standard_error_ns"], site["design_effect"]
    if error is None or not effect:
        return None
    own = max(error ** 2 - site["overhead_error_ns"] ** 2, 0)
    return own / effect / 1e6


class Experiment:
    """All replications: r[k][(i, j)] is the interval from point i to point j in the k-th. From 1000
    ticks on the mean length of a replication's own ticks is known (profile/model/clocks.c), and used."""

    def __init__(self, scprof, profiles):
        self.r, ticks = [], []
        for path in profiles:
            report = self.report(scprof, path)
            slow = report["slow_clock"] or {"tick_ns": math.nan}
            ticks.append(slow["tick_ns"] / 1e3)
            self.r.append(self.intervals(report, path, ticks[-1]))
        self.tick_us = statistics.fmean(ticks)
        self.ticks_measured = len(set(ticks)) > 1
        self.command = report["program"]["argv"]
        self.clock = report["slow_clock"]["name"], report["clock"]["name"]
        self.randomised = slow["randomized"]
        self.cycles = self.r[0][(1, 1)].calls

    @staticmethod
    def report(scprof, path):
        done = subprocess.run(
            [scprof, "report", "--format", "json", "--include-warm-up", "--by", "function",
             "--confidence", str(CONFIDENCE), path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            raise Unfit(f"{path}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    @staticmethod
    def intervals(report, path, tick_us):
        found = {}
        for site in report["sites"]:
            ends = re.match(r"(\d+) [^>]* -> (\d+) ", site["symbol"])
            if site["library"] == "region" and ends and site["slow"]:
                found[int(ends[1]), int(ends[2])] = Interval(site, tick_us)
        missing = [p for p in TWELVE + list(CYCLES) if p not in found]
        if missing:
            raise Unfit(f"{path}: no interval {missing[0]} on two clocks: not a profile of this "
                        "experiment")
        calls = {found[p].calls for p in found}
        if len(found) != 14 or len(calls) != 1:
            raise Unfit(f"{path}: cycles were cut short: intervals have {sorted(calls)} passings")
        return found

    def ticks(self, pair):
        return [r[pair].ticks for r in self.r]

    def switches(self):
        """(4,5) and (10,11) together: what process #1 was away less what #2 did meanwhile. Both
        read the same word, so the difference is exact; which part is which, no clock within
        one process can tell."""
        return [r[4, 11].ticks - sum(r[p].ticks for p in steps(1) if p not in WAITS)
                for r in self.r]

    def slow_means(self, pair):
        return [r[pair].slow_us() for r in self.r]

    def fast_means(self, pair):
        return [r[pair].fast_us for r in self.r]

    def mean(self, pair):
        """mMT of the high precision column: all replications as one."""
        return statistics.fmean(self.slow_means(pair))

    def predicted(self, pair):
        """S_DMT of one replication, (10a) with the high precision mean."""
        return deviation_10a(self.mean(pair), self.tick_us, self.cycles)

    def predicted_randomised(self, pair):
        """The same for ticks that vary, as the page clock's do."""
        v = randomised_count_variance(self.mean(pair) / self.tick_us)
        return self.tick_us * math.sqrt(v / self.cycles)

    def observed(self, pair):
        """s_dMT: how the replications' means scatter."""
        return statistics.stdev(self.slow_means(pair))

    def ratio(self, pair):
        """Observed over predicted, to the two decimals that are shown and judged. None: no tick."""
        predicted = self.predicted(pair)
        return round(self.observed(pair) / predicted, 2) if predicted else None

    def observed_fast(self, pair):
        """What of it is the program's own, as the fast clock saw it."""
        return statistics.stdev(self.fast_means(pair))

    def clock_error(self, pair):
        """What the slow clock adds: root mean square of its errors against the fast one, in the
        very same calls."""
        errors = [s - f for s, f in zip(self.slow_means(pair), self.fast_means(pair))]
        return math.sqrt(statistics.fmean(e * e for e in errors))

    def coverage_10a(self, pair):
        """The interval that one replication gives by itself: its own mean in (10a), normal."""
        halves = [Z * deviation_10a(m, self.tick_us, self.cycles) for m in self.slow_means(pair)]
        held = [abs(r[pair].slow_us() - r[pair].fast_us) <= half
                for r, half in zip(self.r, halves)]
        return Coverage(held, halves)

    def coverage_rule(self, pair):
        """The report's interval for the slow clock."""
        own = [r[pair] for r in self.r]
        return Coverage([i.low_us <= i.true_us <= i.high_us for i in own],
                        [(i.high_us - i.low_us) / 2 for i in own])

    def ends(self, pair, randomised):
        """The clock's part in (10c): with regular ticks only the two ends of the run, d^2/6 in all;
        with randomised ones the variance of the count over all of it, unless what they came to
        was measured."""
        of = 1 / 6
        if randomised:
            of = randomised_count_variance(self.cycles * self.mean(pair) / self.tick_us)
        return math.sqrt(of) * self.tick_us / self.cycles

    def total_varies(self):
        return self.randomised and not self.ticks_measured

    def contiguous(self, pair, randomised=False):
        """(10c) for a cycle, with the fast clock's VT. None: VT unknown."""
        variances = [r[pair].fast_mean_variance for r in self.r]
        if None in variances:
            return None
        return math.hypot(math.sqrt(statistics.fmean(variances)), self.ends(pair, randomised))


class Coverage:
    """Of one interval: in how many replications the fast mean was inside, mean half width."""

    def __init__(self, held, halves):
        self.held = sum(held)
        self.half_us = statistics.fmean(halves)


def deviation_10a(mean, tick, n):
    part = mean / tick % 1
    return tick * math.sqrt((part - part ** 2) / n)


def randomised_count_variance(t):
    """Of the ticks in t mean ticks, spacings uniform over 1/2 to 3/2: stats/planning/plan.c, Cox 1962."""
    if t >= 2:
        return t / 12 + 1 / 6 + 1 / 288
    pairs = 0
    if t > 0.5:
        pairs = (t - 0.5) ** 2 if t < 1.5 else 2 * (t - 1)
    if t > 1:
        pairs += (t - 1) ** 3 / 3
    if t > 1.5:
        pairs += (t - 1.5) ** 4 / 12
    return t + pairs - t * t


def chance_ratio(freedom):
    """Observed over true deviation that chance alone exceeds once in twenty: the chi-square quantile
    by Wilson and Hilferty (1931)."""
    c = 2 / (9 * freedom)
    return math.sqrt((1 - c + NORMAL.inv_cdf(0.95) * math.sqrt(c)) ** 3)

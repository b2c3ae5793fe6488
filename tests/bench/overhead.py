# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a compensated mean say what a call takes by itself, and the report what watching
costs in all? An empty function and one of 100 ns, whose truth the program itself finds by
calling them past the wrappers, in turn with the watched calls."""
import known
import measure

LENGTH_NS = 100
CALLS = 1_000_000
CLOCKS = ("tsc", "dual", "page", "coarse", "monotonic")
SLOW = ("page", "coarse")
# A call that costs 100 ns needs many ticks of 4 ms: fewer calls would say nothing.
CALLS_OF_SLOW = 8_000_000


def covers(low, high, truth):
    return low is not None and high is not None and low <= truth <= high


class Tally:
    def __init__(self):
        self.rows = []

    def add(self, said, report, quiet, alone):
        empty, work = known.site(report, "send"), known.site(report, "recv")
        truth = known.truth_ns(said)
        self.rows.append({
            "truth": truth,
            "inside": work["overhead_ns"],
            "empty": empty["mean_ns"],
            "zero": covers(empty["ci_low_ns"], empty["ci_high_ns"], 0),
            "off": 100 * (work["mean_ns"] / truth - 1),
            "hit": covers(work["ci_low_ns"], work["ci_high_ns"], truth),
            "quiet_empty": quiet["send"] - empty["overhead_ns"],
            "quiet_off": 100 * ((quiet["recv"] - work["overhead_ns"]) / truth - 1),
            "cost": perturbation(report, said, alone),
        })

    def column(self, name):
        return [row[name] for row in self.rows]


def perturbation(report, said, alone):
    """What scprof says that it took of a call over what it took: so much longer were the
    watched calls than in the run before, unwatched. Of each function by the medians of
    blocks, where the host's part drops out; of both together by the whole time."""
    told = report["totals"]["perturbation_ns"] / report["totals"]["calls"]
    took = {name: said[name]["median"] - alone[name]["median"] for name in ("called_empty", "called")}
    whole = sum(said[name]["mean"] - alone[name]["mean"] for name in took) / 2
    return [told / took["called_empty"], told / took["called"], told / whole]


def pair(tools, clock, steps, calls, tally):
    """One run without and one with scprof, filed under whether the host stole time."""
    steal = measure.Steal()
    alone = known.plain(tools, "mean", steps, calls)
    said, report, quiet = known.calibrated(tools, f"-c {clock}", "mean", steps, calls, quiet=True)
    tally[steal.percent() > known.MOST_STOLEN].add(said, report, quiet, alone)


def print_means(title, tallies):
    measure.header(title, "clock", "runs", "taken off a call, ns", "empty function, ns", "0 is inside",
                   "truth of the other, ns", "its mean is off by, %", "truth is inside",
                   "median of batches: empty, ns", "the other off by, %")
    for clock, t in tallies.items():
        if not t.rows:
            continue
        runs, fast = len(t.rows), clock not in SLOW
        measure.row(clock, runs, measure.spread(t.column("inside")), measure.spread(t.column("empty")),
                    known.share(sum(t.column("zero")), runs), measure.spread(t.column("truth"), "{:.1f}"),
                    measure.spread(t.column("off"), "{:+.1f}"), known.share(sum(t.column("hit")), runs),
                    measure.spread(t.column("quiet_empty"), "{:+.2f}") if fast else "-",
                    measure.spread(t.column("quiet_off"), "{:+.1f}") if fast else "-")


def bench(tools, runs, scale):
    """Runs from which the host stole are set apart, and tried again a few times."""
    steps = LENGTH_NS / known.step_ns(tools)
    tallies = {c: {False: Tally(), True: Tally()} for c in CLOCKS}
    steal = measure.Steal()
    for i in range(3 * runs):
        for clock in CLOCKS[i % len(CLOCKS):] + CLOCKS[:i % len(CLOCKS)]:
            if len(tallies[clock][False].rows) >= runs:
                continue
            calls = int(scale * (CALLS_OF_SLOW if clock in SLOW else CALLS))
            pair(tools, clock, round(steps), calls, tallies[clock])
    stolen = steal.percent()
    quiet = {c: t[False] for c, t in tallies.items()}
    print_means("Compensated means; medians (least to most)", quiet)
    print_means(f"The same where the host stole over {known.MOST_STOLEN} %", {c: t[True] for c, t in tallies.items()})
    measure.header("Total perturbation told over that found", "clock", "empty function", f"{LENGTH_NS} ns",
                   "both, by their whole time")
    for clock, t in quiet.items():
        measure.row(clock, *(measure.spread(column) for column in zip(*t.column("cost"))))
    print(f"\nthe host stole {stolen:.1f} % of the CPUs' time")

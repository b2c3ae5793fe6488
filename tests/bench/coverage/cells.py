# SPDX-License-Identifier: GPL-3.0-or-later
"""The cells of the coverage study's CSV, and the classes of those that fail.

A class is a kind of cell that fails for one reason; the first that fits is taken. What
fits none is published cell by cell, so that nothing is explained away.
"""
import csv

CRITERIA = ["cover-or-warn", "false-alarm", "over-coverage", "width"]
LAWS = ["constant", "uniform", "exponential", "lognormal", "bimodal"]
DEPENDENCES = ["none", "loop", "period-d/4", "period-3d/8", "period-golden", "ar1", "bursts", "bursts-loop"]
CLOCKS = ["fixed", "randomised"]
NUMBERS = ["mean_over_d", "coverage", "coverage_error", "missed_below", "mean_ticks", "width_over_oracle",
           "bias_over_deviation", "clock-synchronous", "too-few-independent-batches", "heavy-tail", "warned"]


class Cell:
    def __init__(self, row):
        self.clock, self.dependence, self.law = row["ticks"], row["dependence"], row["law"]
        self.n, self.replications = int(row["n"]), int(row["replications"])
        self.locked = row["locked"] == "1"
        self.failed = [] if row["verdict"] == "pass" else row["verdict"].split()
        for name in NUMBERS:
            setattr(self, name.replace("-", "_"), float(row[name]))

    def key(self):
        return (CLOCKS.index(self.clock), DEPENDENCES.index(self.dependence), LAWS.index(self.law),
                self.mean_over_d, self.n)

    def covers(self):
        return self.coverage + 2 * self.coverage_error >= 0.94

    def warns(self):
        return self.warned >= 0.9

    def judged(self, criterion):
        """As score_badness() in score.c judges."""
        if criterion == "cover-or-warn":
            return True
        if criterion == "false-alarm":
            return self.covers()
        return self.covers() and self.law != "constant" and self.mean_ticks >= 100

    def name(self):
        return f"{self.clock}, {self.dependence}, {self.law}, {self.mean_over_d:g} d, n {self.n:,}"


def read(files):
    """Cells of all files in order of the grid; of a cell that is in several, the last."""
    cells = {}
    for name in files:
        with open(name, newline="") as file:
            for row in csv.DictReader(file):
                cell = Cell(row)
                cells[cell.key()] = cell
    return [cells[key] for key in sorted(cells)]


def depends(c):
    return c.dependence in ("ar1", "bursts", "bursts-loop")


def contiguous(c):
    return c.dependence in ("loop", "bursts-loop")


# criterion, name, test, explanation
CLASSES = [
    ("cover-or-warn", "locked to the tick, but too few phases sampled to tell",
     lambda c: c.locked and c.clock_synchronous < 0.9 and (c.n <= 100 or c.mean_ticks < 30),
     "A phase is sampled at most every second tick: in so short a run a handful. The test asks for p < 0.001. The lognormal "
     "ones of 30 calls fail by their tail, as below."),
    ("cover-or-warn", "dependent calls, at most 100 of them",
     lambda c: depends(c) and c.n <= 100,
     "Correlated durations or bursts in so few calls look like other durations: nothing in the data tells."),
    ("cover-or-warn", "dependent calls, 1000 to 10 000 of them",
     lambda c: depends(c) and c.n in (1000, 10000),
     "32 to 62 batches are 10 bursts or fewer, or as many correlation times: their number is itself uncertain, so "
     "that the warning comes in a part of the runs, and the interval misses in some of the others."),
    ("cover-or-warn", "heavy tail in at most 100 calls",
     lambda c: c.law == "lognormal" and c.n <= 100,
     "Of lognormal durations with sigma 2 the rarest thousandth makes a fifth of the time: 30 calls mostly hold none "
     "of it. The warning comes where the spread is seen, in 83 to 89 % of the runs; below half a tick the ticks "
     "hide the tail."),
    ("cover-or-warn", "contiguous calls, 100 to 2000 ticks",
     lambda c: contiguous(c) and 30 <= c.mean_ticks <= 2000,
     "The ticks that batches exchange are most of their spread; what remains, the spread of the time itself, is a small "
     "difference of two estimates from at most 63 batches."),
    ("cover-or-warn", "heavy tail, boundary",
     lambda c: c.law == "lognormal" and c.coverage >= 0.92,
     "Where the warning ends because the calls suffice, coverage is one or two points short."),
    ("cover-or-warn", "constant durations at golden distances, 10^6 calls or more",
     lambda c: c.dependence == "period-golden" and c.law == "constant" and c.n >= 10**6,
     "Nothing is random but the first phase, and ticks come as evenly as they can: the whole run is one to three ticks from "
     "its expectation, of 10^4 and more. The interval is as narrow, but batches show such small differences only roughly."),
    ("cover-or-warn", "few ticks of a periodic program",
     lambda c: c.dependence.startswith("period") and c.mean_ticks < 2000,
     "Phases that follow each other regularly make ticks that do not come like chance, and too few to see it."),
    ("cover-or-warn", "boundary: long calls of two lengths, 30 of them",
     lambda c: c.law == "bimodal" and c.n == 30,
     "Three long calls in 30, on average: one run in 24 holds none."),
    ("false-alarm", "locked to the tick, warned, and covered all the same",
     lambda c: c.locked,
     "The warning is true: the program is locked to the tick. That the interval holds the mean (durations that are "
     "multiples of the tick; one tick each time; so few phases that most runs see no tick at all) is luck that no one can "
     "know of."),
    ("false-alarm", "nearly locked: 33 phases or more",
     lambda c: c.clock == "fixed" and c.clock_synchronous > 0.05,
     "The grid calls a program locked when it has at most 32 phases. These have more, and the test finds that they "
     "are not uniform, which is true."),
    ("false-alarm", "dependent calls, between warning and covering",
     lambda c: depends(c) and c.n >= 1000,
     "The number of independent batches lies about the threshold (18), on either side of it from run to run."),
    ("false-alarm", "dependent calls, at most 100 of them",
     lambda c: depends(c),
     "Few ticks make intervals so wide that they cover in spite of the dependence; the warning is true."),
    ("false-alarm", "a tail in at most 100 calls",
     lambda c: (c.law in ("lognormal", "bimodal") or c.warned < 0.06) and c.n <= 100,
     "A coefficient of variation that is large for so few calls. Two lengths of calls, one of them rare, cannot be told "
     "from a heavy tail in 30 calls. (Uniform and exponential durations: neighbours alike by chance, just above 5 %.)"),
    ("false-alarm", "heavy tail, between warning and covering",
     lambda c: c.law == "lognormal",
     "Where calls begin to suffice the warning lasts somewhat longer than the failure to cover."),
    ("over-coverage", "contiguous calls, 100 to 2000 ticks",
     lambda c: contiguous(c) and c.mean_ticks <= 2000,
     "As for the width: the spread of the time is not known better."),
    ("over-coverage", "calls of two lengths, at most 100 of them",
     lambda c: c.law == "bimodal" and c.n <= 100,
     "Ten long calls or fewer are few events: Clopper and Pearson's interval, which is safe."),
    ("over-coverage", "dependent calls, few ticks",
     lambda c: depends(c), "As for the width."),
    ("over-coverage", "locked or periodic program",
     lambda c: c.dependence.startswith("period") or c.locked,
     "The ticks come more regularly than independent ones: the interval is safe, not narrow."),
    ("width", "contiguous calls, 100 to 10 000 ticks",
     lambda c: contiguous(c) and c.mean_ticks <= 12000,
     "The oracle knows that only the two ends of the run are uncertain; batches show it with few degrees of freedom."),
    ("width", "dependent calls: few independent batches",
     lambda c: depends(c),
     "Student's t with few degrees of freedom is wide, and the design effect of few ticks is taken half a standard "
     "error larger than seen."),
    ("width", "locked or periodic program",
     lambda c: c.dependence.startswith("period") or c.locked,
     "The ticks come more regularly than independent ones: the interval is safe, not narrow."),
    ("width", "about 100 ticks",
     lambda c: c.mean_ticks <= 200,
     "Clopper and Pearson's interval is 1.04 to 1.1 times as wide as the oracle's, and the design effect is taken half a "
     "standard error larger than seen."),
    ("width", "heavy tail",
     lambda c: c.law == "lognormal",
     "The upper limit is moved out for a skewness that the sample shows too small."),
    ("width", "calls of two lengths, at most 100 of them",
     lambda c: c.law == "bimodal" and c.n <= 100,
     "The spread is that of a few long calls."),
]


def classify(cell, criterion):
    for number, (of, _, test, _) in enumerate(CLASSES):
        if of == criterion and test(cell):
            return number
    return None

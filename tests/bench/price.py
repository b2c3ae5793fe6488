# SPDX-License-Identifier: GPL-3.0-or-later
"""Does a call site's cost model find what a call and what a byte cost? The truth comes from
calls of the same function past the wrappers, of small and of larger sizes, in turn with the
watched ones: b from the two, a from what is left, both with their standard errors."""
import math

import known
import measure

STEPS, BYTES, CALLS = 500, 4096, 40_000
CLOCKS = (("tsc", "-c tsc"), ("page, 1 ms", "-c page"), ("page, 0.1 ms", "-c page -d 100us --exact-tick"), ("coarse, 4 ms", "-c coarse"))
MORE_OF_SLOW = 4


def centre(values):
    """The median, and its standard error by the median absolute deviation: for normal noise
    1.253 / sqrt(n) times the standard deviation, which is 1.483 times that."""
    middle = measure.median(values)
    return middle, 1.253 * 1.483 * measure.median([abs(v - middle) for v in values]) / math.sqrt(len(values))


def truth(said):
    """{"per_call": (ns, standard error), "per_byte": (ns, standard error)}: from blocks that
    followed one another, so that the drift of the processor's speed drops out."""
    small, large = (said[kind]["bytes"] for kind in ("small", "direct"))
    blocks = list(zip(*(said[kind]["blocks"] for kind in ("small", "direct", "empty"))))
    bytes_ = [(b - a) / (large - small) for a, b, _ in blocks]
    calls = [b - empty - byte * large for byte, (_, b, empty) in zip(bytes_, blocks)]
    return {"per_byte": centre(bytes_), "per_call": centre(calls)}


def judge(report, said):
    """{price: (covered, covered with the truth's own error, found / truth, half width / truth)}."""
    found, row = known.site(report, "sendto"), {}
    for price, (value, error) in truth(said).items():
        at, low, high = (found[f"{price}_{end}ns"] for end in ("", "ci_low_", "ci_high_"))
        if low is None: # no tick fell into a call
            row[price] = (False, False, math.nan, math.nan)
            continue
        wider = [at + math.copysign(math.hypot(end - at, 1.96 * error), end - at) for end in (low, high)]
        row[price] = (low <= value <= high, wider[0] <= value <= wider[1], at / value, (high - low) / 2 / value)
    return row


def print_prices(title, results):
    measure.header(title, "clock", "runs", "price", "truth inside", "its own error allowed for", "found / truth",
                   "half width / truth")
    for clock, rows in results.items():
        for price in ("per_call", "per_byte"):
            column = [row[price] for row in rows]
            if column:
                measure.row(clock, len(column), price, known.share(sum(c[0] for c in column), len(column)),
                            known.share(sum(c[1] for c in column), len(column)),
                            measure.spread([c[2] for c in column], "{:.3f}"), measure.spread([c[3] for c in column], "{:.3f}"))


def bench(tools, runs, scale):
    quiet, disturbed = ({name: [] for name, _ in CLOCKS} for _ in range(2))
    steal = measure.Steal()
    for _ in range(2 * runs):
        for name, options in CLOCKS:
            if len(quiet[name]) >= runs:
                continue
            one = measure.Steal()
            calls = int(CALLS * scale * (1 if name == "tsc" else MORE_OF_SLOW))
            said, report, _ = known.calibrated(tools, options, "line", STEPS, BYTES, calls)
            (disturbed if one.percent() > known.MOST_STOLEN else quiet)[name].append(judge(report, said))
    print_prices("The price of a call and of a byte", quiet)
    print_prices(f"The same where the host stole over {known.MOST_STOLEN} %", disturbed)
    print(f"\nthe host stole {steal.percent():.1f} % of the CPUs' time")

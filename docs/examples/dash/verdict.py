# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tables say, in sentences; every count in them is taken from the data."""
import math
import statistics
import textwrap

import experiment as ex
import tables


def listed(pairs):
    return ", ".join(tables.name(p) for p in pairs) if pairs else "none"


def beyond_chance(data, predicted):
    """Intervals whose observed deviation is above the predicted one by more than chance explains."""
    limit = ex.chance_ratio(len(data.r) - 1)
    return [p for p in ex.TWELVE if data.observed(p) > limit * predicted(p)]


def deviations(data):
    """Is (10a) a safe bound for the scatter of means?"""
    ratios = [data.ratio(p) for p in ex.TWELVE if data.ratio(p) is not None]
    if not ratios:
        return "No interval had a tick: too few cycles for this clock."
    freedom = len(data.r) - 1
    beyond = beyond_chance(data, data.predicted)
    own = [p for p in beyond if data.observed_fast(p) > data.predicted(p)]
    says = (f"The observed deviation is below that of (10a) in {sum(r <= 1 for r in ratios)} of "
            f"{len(ratios)} intervals; the ratio is {statistics.median(ratios):.2f} in the median. "
            f"Above it by more than chance explains once in twenty (a ratio of "
            f"{ex.chance_ratio(freedom):.2f}, {freedom} degrees of freedom): {listed(beyond)}")
    if data.randomised:
        says += ("; above (10a) for randomised ticks: "
                 + listed(beyond_chance(data, data.predicted_randomised)))
    if beyond:
        says += f". Of these the program itself varied by more, by the {data.clock[1]}: {listed(own)}"
    says += (". (10a) was a safe bound in this run"
             + (f" for all but {len(beyond)} of the intervals. " if beyond else ". "))
    return says + slow_alone(data) + unused(len(ex.TWELVE) - len(ratios))


def slow_alone(data):
    ratios = [data.clock_error(p) / data.predicted(p) for p in ex.TWELVE if data.predicted(p)]
    rms = math.sqrt(statistics.fmean(r * r for r in ratios))
    return (f"What the slow clock alone adds, its error against the {data.clock[1]} in the same cycles, "
            f"is below (10a) in {sum(r <= 1 for r in ratios)} of {len(ratios)}, and {rms:.2f} of it in "
            f"the root mean square over them. ")


def unused(without):
    return f"{without} intervals had no tick: nothing is said of them. " if without else ""


def cycles(data):
    """Does (10c) explain the totals better?"""
    says = []
    for process, pair in enumerate(ex.CYCLES):
        whole = data.contiguous(pair, data.total_varies())
        says.append(f"#{process + 1} observed {tables.us(data.observed(pair), 0)} us, by (10a) "
                    f"{tables.us(data.predicted(pair), 0)}, by (10c) "
                    f"{'unknown' if whole is None else tables.us(whole, 0)}; error of ticks "
                    f"{tables.us(data.clock_error(pair), 0)}, the clock's part in (10c) "
                    f"{tables.us(data.ends(pair, data.total_varies()), 0)}")
    return ("Cycles follow one another without a gap" + (", ticks vary" if data.total_varies() else "")
            + ": " + ". ".join(says) + ". ")


def coverage(data, pairs, what):
    a = [data.coverage_10a(p) for p in pairs]
    b = [data.coverage_rule(p) for p in pairs]
    of = len(pairs) * len(data.r)
    ratios = [y.half_us / x.half_us for x, y in zip(a, b) if x.half_us]
    width = (f"; the report's are {statistics.median(ratios):.2f} times as wide (median, "
             f"{min(ratios):.2f} to {max(ratios):.2f})" if ratios else "")
    return (f"Of {of} intervals of {ex.CONFIDENCE:.0%} for {what}, those of (10a) hold the "
            f"{data.clock[1]}'s mean in {sum(c.held for c in a)} "
            f"({sum(c.held for c in a) / of:.1%}), the report's in {sum(c.held for c in b)} "
            f"({sum(c.held for c in b) / of:.1%}){width}. ")


def text(data):
    paragraphs = (deviations(data), cycles(data),
                  coverage(data, ex.TWELVE, "the twelve")
                  + coverage(data, ex.CYCLES, "the cycles"))
    return "\nVerdict\n" + "\n\n".join(
        textwrap.fill(p.strip(), 120, initial_indent="  ", subsequent_indent="  ")
        for p in paragraphs if p)

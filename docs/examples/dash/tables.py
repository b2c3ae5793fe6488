# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's tables as text. No arithmetic beyond sums of columns."""
import statistics

import experiment as ex

LABEL = 14


def name(pair):
    return f"({pair[0]},{pair[1]})" + ("*" if pair in ex.WAITS else "")


def rows():
    """Each process's cycle, then the intervals that it consists of."""
    for process in (0, 1):
        yield f"process #{process + 1}", None
        yield name(ex.CYCLES[process]), ex.CYCLES[process]
        for pair in ex.steps(process):
            yield name(pair), pair


def us(value, width):
    """Four significant digits at most, without an exponent."""
    digits = 3 if value < 1 else 2 if value < 100 else 1 if value < 1000 else 0
    return f"{value:{width}.{digits}f}"


def head(data):
    ticks = "vary" if data.randomised else "are regular"
    if data.ticks_measured:
        ticks += ", mean of each replication measured"
    return "\n".join((
        "The DASH experiment (Beilner 1988, section 4)",
        f"  {' '.join(data.command)}",
        f"  d = {data.tick_us:g} us ({data.clock[0]} clock, ticks {ticks}), n = {data.cycles} cycles, "
        f"{len(data.r)} replications",
        f"  the {data.clock[1]} timed the same cycles. * this process was waiting; the other one ran "
        "meanwhile"))


def exactly(data, what):
    """Do a process's six intervals make up its cycles, in each replication?"""
    for process in (0, 1):
        cycle = ex.CYCLES[process]
        for r in data.r:
            if sum(what(r[p]) for p in ex.steps(process)) != what(r[cycle]):
                return False
    return True


def is_exact(data):
    return exactly(data, lambda i: i.ticks) and exactly(data, lambda i: i.fast_units)


def checks(data, what, unit):
    both = exactly(data, what)
    return (f"check: each process's six intervals add up to its cycles, in all {len(data.r)} "
            f"replications: {'exactly' if both else 'NO'}, in {unit}")


def table_17a(data):
    count = len(data.r)
    width = max(7, len(str(max(data.ticks((1, 1))))) + 1)
    lines = ["", "Table 17a: clock tick measurement results",
             f"{'replication #':<{LABEL}}" + "".join(f"{k:>{width}}" for k in range(1, count + 1))
             + f"{'sums':>{width + 2}}"]

    def row(label, ticks):
        lines.append(f"{label:<{LABEL}}" + "".join(f"{t:>{width}}" for t in ticks)
                     + f"{sum(ticks):>{width + 2}}")

    for label, pair in rows():
        if pair:
            row(label, data.ticks(pair))
        else:
            lines.append(label)
    lines.append("both")
    row("(4,5)+(10,11)", data.switches())
    lines.append(checks(data, lambda i: i.ticks, f"ticks of the {data.clock[0]} clock"))
    return "\n".join(lines)


def table_17a_fast(data):
    """The same from the fast clock: in place of counts, the means of each replication."""
    fast = data.clock[1]
    lines = ["", f"Table 17a from the {fast}: means of each replication, us",
             f"{'replication #':<{LABEL}}" + "".join(f"{k:>8}" for k in range(1, len(data.r) + 1))
             + f"{'mean':>9}"]
    for label, pair in rows():
        means = data.fast_means(pair) if pair else []
        lines.append(label if not pair else f"{label:<{LABEL}}" + "".join(us(m, 8) for m in means)
                     + us(statistics.fmean(means), 9))
    lines.append(checks(data, lambda i: i.fast_units, f"units of the {fast}"))
    return "\n".join(lines)


def varied(data, text):
    """A column that only clocks with randomised ticks have."""
    return f"{text:>11}" if data.randomised else ""


def table_17b(data):
    fast = data.clock[1]
    lines = ["", "Table 17b: high precision means, predicted and observed deviations of the means of "
             "one replication, us",
             f"{'':<{LABEL}}{'mMT':>9}{'S_DMT':>9}{varied(data, 'S_DMT')}{'s_dMT':>9}{'s/S':>7}"
             f"{'mean':>11}{'s_dMT':>9}{'error':>11}",
             f"{'':<{LABEL}}{'eq. 6b':>9}{'eq. 10a':>9}{varied(data, 'randomised')}{'observed':>9}"
             f"{'':>7}{fast:>11}{fast:>9}{'of ticks':>11}"]
    for label, pair in rows():
        if not pair:
            lines.append(label)
            continue
        ratio = f"{'-':>7}" if data.ratio(pair) is None else f"{data.ratio(pair):7.2f}"
        lines.append(f"{label:<{LABEL}}" + us(data.mean(pair), 9) + us(data.predicted(pair), 9)
                     + varied(data, us(data.predicted_randomised(pair), 0))
                     + us(data.observed(pair), 9) + ratio
                     + us(statistics.fmean(data.fast_means(pair)), 11)
                     + us(data.observed_fast(pair), 9) + us(data.clock_error(pair), 11))
    if data.randomised:
        lines.append("randomised: (10a) for ticks that vary as this clock's do")
    lines.append(f"error of ticks: root mean square of ticks against the {fast}, same cycles")
    return "\n".join(lines + contiguous(data))


def contiguous(data):
    """(10c), first as it is, then for ticks that vary."""
    lines = []
    for pair in ex.CYCLES:
        for varies in (False, True)[:1 + data.total_varies()]:
            whole = data.contiguous(pair, varies)
            lines.append(f"cycle {name(pair)} as contiguous intervals: S_DMT by (10c)"
                         + (" for randomised ticks " if varies else " ")
                         + ("unknown" if whole is None else us(whole, 0))
                         + f", of it the clock's part {us(data.ends(pair, varies), 0)}")
    return lines


def table_17c(data):
    count = len(data.r)
    lines = ["", f"Intervals of {ex.CONFIDENCE:.0%} from one replication: how many of {count} hold "
             f"the {data.clock[1]}'s mean of the same cycles, mean half width in us",
             f"{'':<{LABEL}}{'by (10a)':>18}{'by the report':>18}{'width ratio':>13}  methods"]
    for label, pair in rows():
        if not pair:
            lines.append(label)
            continue
        a, b = data.coverage_10a(pair), data.coverage_rule(pair)
        methods = sorted({r[pair].method for r in data.r})
        ratio = f"{b.half_us / a.half_us:13.2f}" if a.half_us else f"{'-':>13}"
        lines.append(f"{label:<{LABEL}}{a.held:>7}" + us(a.half_us, 11) + f"{b.held:>7}"
                     + us(b.half_us, 11) + ratio + "  " + ", ".join(methods))
    return "\n".join(lines)

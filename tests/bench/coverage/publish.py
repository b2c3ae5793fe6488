#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results and plot of docs/coverage.md from what tests/bench/coverage wrote.

usage: tests/bench/coverage/publish.py [--intervals FILE] [--threads LABEL=FILE]... [--states FILE] [--percentiles FILE]...
           [--heldout FILE --traces FILE --tuned FILE] [CSV...]

Without CSV files only the tables of the other options are replaced. Replaces what stands between the marks
`<!-- made: NAME -->` and `<!-- end -->` in docs/results/coverage.txt, and writes coverage-cells.csv, coverage.svg,
coverage-percentiles.csv and coverage-heldout.csv there.
Exit status 2 where a file cannot be read or a mark is missing.
"""
import argparse
import csv
import datetime
import os
import re
import sys

import cells as grid
import heldout_tables
import plot

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docs", "results")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(v) for v in row) + " |" for row in rows])


def made_summary(all_cells):
    rows = []
    for criterion in grid.CRITERIA:
        for locked in (False, True):
            judged = [c for c in all_cells if c.locked == locked and c.judged(criterion)]
            failed = [c for c in judged if criterion in c.failed]
            rows.append((criterion, "locked to the tick" if locked else "all others", len(judged),
                         len(judged) - len(failed), len(failed)))
    return table(["criterion", "cells", "judged", "passed", "failed"], rows)


def made_outcomes(all_cells):
    """Passed cover-or-warn of all, by law and dependence."""
    rows = []
    for clock in grid.CLOCKS:
        for dependence in grid.DEPENDENCES:
            row = [clock, dependence]
            for law in grid.LAWS:
                here = [c for c in all_cells if (c.clock, c.dependence, c.law) == (clock, dependence, law)]
                passed = sum("cover-or-warn" not in c.failed for c in here)
                row.append(f"{passed} of {len(here)}" if here else "-")
            rows.append(row)
    return table(["ticks", "dependence"] + grid.LAWS, rows)


def span(values, form):
    low, high = form % min(values), form % max(values)
    return low if low == high else f"{low} to {high}"


def width_span(members):
    widths = [c.width_over_oracle for c in members if c.width_over_oracle < 1000]
    return span(widths, "%.2f") if widths else "-"


def made_classes(all_cells, criterion):
    members = {}
    for cell in all_cells:
        if criterion in cell.failed:
            members.setdefault(grid.classify(cell, criterion), []).append(cell)
    rows, others = [], members.pop(None, [])
    for number in sorted(members):
        _, name, _, why = grid.CLASSES[number]
        m = members[number]
        rows.append((name, len(m), span([100 * c.coverage for c in m], "%.1f"),
                     span([100 * c.warned for c in m], "%.0f"), width_span(m), why))
    for c in others:
        rows.append((c.name(), 1, f"{100 * c.coverage:.1f}", f"{100 * c.warned:.0f}",
                     f"{c.width_over_oracle:.2f}", "not explained"))
    if not rows:
        return "No cell fails."
    return table(["class", "cells", "coverage %", "warned %", "width / oracle", "why"], rows)


def made_run(all_cells):
    rows = []
    for n in sorted({c.n for c in all_cells}):
        here = [c for c in all_cells if c.n == n]
        counts = sorted(c.replications for c in here)
        rows.append((f"{n:,}", len(here), f"{counts[0]:,}", f"{counts[len(counts) // 2]:,}",
                     sum(r >= 10000 for r in counts),
                     f"{100 * max(c.coverage_error for c in here if c.coverage > 0.9):.2f}"))
    return table(["n", "cells", "fewest replications", "median", "cells with 10 000",
                  "largest error of a coverage above 90 %, points"], rows)


def made_exact(rows):
    out = []
    for n in ("30", "1000", "1000000"):
        for r in rows:
            if r["n"] == n:
                out.append((f"{int(n):,}", f"{r['ticks_from']} to {r['ticks_to']}", r["interval"],
                            f"{100 * float(r['least_coverage']):.1f}", f"{100 * float(r['mean_coverage']):.1f}",
                            f"{100 * float(r['share_below_94']):.0f}", f"{float(r['width_over_oracle']):.2f}"))
    out.sort(key=lambda r: (int(r[0].replace(",", "")), float(r[1].split()[0])))
    return table(["n", "expected ticks", "interval", "least coverage %", "mean %", "p below 94 %, %", "mean width / oracle"],
                 out)


def made_in_place(rows):
    return table(["dependence", "interval", "cells", "neither cover nor warn", "least coverage %", "mean %",
                  "mean width / oracle"],
                 [(r["dependence"], r["interval"], r["cells"], r["cells_below_94"],
                   f"{100 * float(r['least_coverage']):.1f}", f"{100 * float(r['mean_coverage']):.1f}",
                   f"{float(r['mean_width_over_oracle']):.2f}") for r in rows])


def read_intervals(name):
    with open(name, newline="") as file:
        lines = file.read().splitlines()
    second = next(i for i, line in enumerate(lines) if line.startswith("simulated,dependence"))
    return list(csv.DictReader(lines[:second])), list(csv.DictReader(lines[second:]))


def threads_group(row):
    """Rows of the table: what was simulated, but for the numbers of threads and the mean."""
    some = " (10 threads)" if row["kind"] == "rare" and row["threads"] == "10" else ""
    number = row["number"] if row["long_calls"] != "0" else "no long thread"
    return row["kind"] + some, number, int(row["calls"])


def made_threads(rules):
    """rules: of each its label and the rows of its file, which are the same programs."""
    groups = {}
    for label, rows in rules:
        for row in rows:
            groups.setdefault(threads_group(row), {}).setdefault(label, []).append(row)
    head, out = ["kind", "number", "calls each", "in no batch %"], []
    for label, _ in rules:
        head += [f"{label}: coverage %", "width / oracle"]
    head.append("warned %")
    for group, by_rule in groups.items():
        last = by_rule[rules[-1][0]]
        line = list(group) + [span([100 * float(r["outside"]) for r in last], "%.0f")]
        for label, _ in rules:
            line += [span([100 * float(r["coverage"]) for r in by_rule[label]], "%.1f"),
                     span([float(r["width_over_oracle"]) for r in by_rule[label]], "%.2f")]
        out.append(line + [span([100 * float(r["warned"]) for r in last], "%.0f")])
    return table(head, out)


def read_threads(argument):
    label, _, name = argument.partition("=")
    with open(name, newline="") as file:
        return label, list(csv.DictReader(file))


def made_states(rows):
    head = ["state", "calls", "programs", "cover or warn", "of them warn", "others: coverage %", "others: warned %"]
    out = []
    for state in ("unswitched", "on_cpu", "runnable", "asleep"):
        for n in sorted({float(r["n"]) for r in rows}):
            here = [r for r in rows if r["state"] == state and float(r["n"]) == n]
            failed = [r for r in here if r["result"] == "fail"]
            warn = sum(float(r["warned"]) >= 0.9 for r in here)
            out.append([state, f"{int(n):,}", len(here), len(here) - len(failed), warn,
                        span([100 * float(r["coverage"]) for r in failed], "%.0f")
                        if failed else "-",
                        span([100 * float(r["warned"]) for r in failed], "%.0f") if failed else "-"])
    return table(head, out)


def publish_states(name):
    with open(name, newline="") as file:
        text = file.read()
    rows = list(csv.DictReader(text.splitlines()))
    path = os.path.join(RESULTS, "coverage.txt")
    with open(path) as file:
        document = file.read()
    document = replace(document, "states", made_states(rows))
    with open(path, "w") as file:
        file.write(document)
    with open(os.path.join(RESULTS, "coverage-states.csv"), "w") as file:
        file.write("# SPDX-License-Identifier: GPL-3.0-or-later\n"
                   f"# Made by tests/bench/coverage/publish.py, {datetime.date.today()}; docs/coverage.md explains the programs\n")
        file.write(text)


def percents(rows, name):
    return span([100 * float(r[name]) for r in rows], "%.0f")


def made_percentiles(rows):
    """By kind of dependence, number of calls and percentile, over all laws."""
    groups, out = {}, []
    for r in rows:
        kind = r["dependence"] if r["dependence"] in ("ar1", "load") else "bursts" if "bursts" in r["dependence"] else "none"
        groups.setdefault((kind, int(r["n"])), []).append(r)
    for kind, n in sorted(groups, key=lambda g: (("none", "ar1", "bursts", "load").index(g[0]), g[1])):
        here = groups[kind, n]
        for p in ("50", "90", "99", "99.9"):
            some = [r for r in here if r["percentile"] == p]
            out.append((kind, f"{n:,}", f"P{p}", len(some), sum(r["verdict"] == "pass" for r in some), percents(some, "coverage"),
                        percents(some, "coverage_by_mean"), percents(some, "warned"), percents(some, "bounded")))
    return table(["dependence", "calls", "percentile", "cells", "passed", "coverage %", "by the mean's design effect %", "warned %",
                  "both limits finite %"], out)


def made_percentile_failures(rows):
    failed = [r for r in rows if r["verdict"] != "pass"]
    out = [(r["dependence"], r["law"], f"{int(r['n']):,}", "P" + r["percentile"], f"{100 * float(r['coverage']):.1f}",
            f"{100 * float(r['missed_below']):.1f}", f"{100 * float(r['missed_above']):.1f}", f"{100 * float(r['warned']):.0f}")
           for r in failed]
    if not out:
        return "No cell fails."
    return table(["dependence", "law", "calls", "percentile", "coverage %", "truth below %", "truth above %", "warned %"], out)


def publish_percentiles(files):
    rows = []
    for name in files:
        with open(name, newline="") as file:
            rows += csv.DictReader(file)
    name = os.path.join(RESULTS, "coverage.txt")
    with open(name) as file:
        document = file.read()
    document = replace(document, "percentiles", made_percentiles(rows))
    document = replace(document, "percentile failures", made_percentile_failures(rows))
    lines = ["# SPDX-License-Identifier: GPL-3.0-or-later",
             f"# Made by tests/bench/coverage/publish.py, {datetime.date.today()}; docs/coverage.md explains the programs.",
             ",".join(rows[0])] + [",".join(r.values()) for r in rows]
    with open(os.path.join(RESULTS, "coverage-percentiles.csv"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(name, "w") as file:
        file.write(document)


def publish_heldout(tuned, heldout, traces):
    sets = [("tuned", heldout_tables.read(tuned)), ("held out: laws", heldout_tables.read(heldout)),
            ("held out: traces", heldout_tables.read(traces))]
    name = os.path.join(RESULTS, "coverage.txt")
    with open(name) as file:
        document = file.read()
    parts = {"tuned and held out": heldout_tables.made_sets(sets), "methods": heldout_tables.made_methods(sets[1:]),
             "held-out laws": heldout_tables.made_laws(sets[1][1], "tsc"),
             "held-out laws, page clock": heldout_tables.made_laws(sets[1][1], "page"),
             "held-out traces": heldout_tables.made_laws(sets[2][1], "tsc")}
    for part, (head, rows) in parts.items():
        document = replace(document, part, table(head, rows))
    rows = sets[1][1] + sets[2][1]
    lines = ["# SPDX-License-Identifier: GPL-3.0-or-later",
             f"# Made by tests/bench/coverage/publish.py, {datetime.date.today()}; docs/coverage.md explains the laws.",
             ",".join(rows[0])] + [",".join(r.values()) for r in rows]
    with open(os.path.join(RESULTS, "coverage-heldout.csv"), "w") as file:
        file.write("\n".join(lines) + "\n")
    with open(name, "w") as file:
        file.write(document)


def every_cell(all_cells):
    """CSV: coverage in per cent and marks, a column for each number of calls."""
    numbers = sorted({c.n for c in all_cells})
    lines = ["# SPDX-License-Identifier: GPL-3.0-or-later",
             f"# Made by tests/bench/coverage/publish.py, {datetime.date.today()}; docs/coverage.md explains the grid. Coverage in per cent "
             "by number of calls, then marks:",
             "# f fails cover-or-warn, w warned in 90 % of the replications or more, p in 5 % or more, ! false alarm, "
             "+ too wide or covers too often",
             "ticks,dependence,law,mean_over_tick," + ",".join(str(n) for n in numbers)]
    for clock in grid.CLOCKS:
        for dependence in grid.DEPENDENCES:
            here = {}
            for c in all_cells:
                if (c.clock, c.dependence) == (clock, dependence):
                    here.setdefault((grid.LAWS.index(c.law), c.mean_over_d), {})[c.n] = c
            for (law, mean), by_n in sorted(here.items()):
                lines.append(",".join([clock, dependence, grid.LAWS[law], f"{mean:g}"] + [mark(by_n.get(n)) for n in numbers]))
    return "\n".join(lines) + "\n"


def mark(cell):
    if cell is None:
        return ""
    text = f"{100 * cell.coverage:.1f}"
    if "false-alarm" in cell.failed:
        text += "!"
    if "width" in cell.failed or "over-coverage" in cell.failed:
        text += "+"
    if "cover-or-warn" in cell.failed:
        text += "f"
    if cell.warned >= 0.05:
        text += "w" if cell.warns() else "p"
    return text


def replace(document, name, made):
    pattern = re.compile(rf"(<!-- made: {re.escape(name)} -->\n).*?(<!-- end -->)", re.S)
    if not pattern.search(document):
        raise ValueError(f"docs/results/coverage.txt has no mark '<!-- made: {name} -->'; put it where the table is to stand")
    return pattern.sub(lambda m: m.group(1) + made + "\n" + m.group(2), document)


def publish_threads(rules):
    name = os.path.join(RESULTS, "coverage.txt")
    with open(name) as file:
        document = file.read()
    document = replace(document, "threads", made_threads(rules))
    with open(name, "w") as file:
        file.write(document)


def publish(all_cells, intervals):
    name = os.path.join(RESULTS, "coverage.txt")
    with open(name) as file:
        document = file.read()
    parts = {"run": made_run(all_cells), "summary": made_summary(all_cells), "outcomes": made_outcomes(all_cells)}
    parts.update({criterion: made_classes(all_cells, criterion) for criterion in grid.CRITERIA})
    if intervals:
        exact, in_place = read_intervals(intervals)
        parts.update({"exact intervals": made_exact(exact), "intervals in place": made_in_place(in_place)})
    for part, made in parts.items():
        document = replace(document, part, made)
    for path, text in ((name, document), (os.path.join(RESULTS, "coverage-cells.csv"), every_cell(all_cells)),
                       (os.path.join(RESULTS, "coverage.svg"), plot.draw(all_cells))):
        with open(path, "w") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--intervals", metavar="FILE", help="what coverage --intervals wrote")
    parser.add_argument("--threads", metavar="LABEL=FILE", action="append", default=[],
                        help="what coverage --threads wrote; the same of other rules before it")
    parser.add_argument("--states", metavar="FILE", help="what coverage --states wrote")
    parser.add_argument("--percentiles", metavar="FILE", action="append", default=[], help="what coverage --percentiles wrote")
    parser.add_argument("--heldout", metavar="FILE", help="what coverage --heldout wrote; with the two that follow")
    parser.add_argument("--traces", metavar="FILE", help="what coverage --traces wrote")
    parser.add_argument("--tuned", metavar="FILE", help="what coverage --csv wrote, to stand beside them")
    parser.add_argument("csv", nargs="*", metavar="CSV", help="what coverage --csv wrote; later files replace cells")
    options = parser.parse_args()
    held_out = [options.tuned, options.heldout, options.traces]
    if any(held_out) and not all(held_out):
        parser.error("--heldout, --traces and --tuned go together")
    if not (options.csv or options.threads or options.states or options.percentiles or options.heldout):
        parser.error("no file to publish: give a CSV, --threads LABEL=FILE, --states, --percentiles or --heldout FILE")
    try:
        if options.threads:
            publish_threads([read_threads(argument) for argument in options.threads])
        if options.states:
            publish_states(options.states)
        if options.percentiles:
            publish_percentiles(options.percentiles)
        if options.heldout:
            publish_heldout(*held_out)
        if options.csv:
            publish(grid.read(options.csv), options.intervals)
    except (OSError, ValueError, KeyError, StopIteration) as error:
        print(f"publish.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

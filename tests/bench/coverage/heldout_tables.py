# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of what `coverage --heldout` and `coverage --traces` wrote, beside the scenarios that the rule was tuned on."""
import csv
import statistics

METHODS = ["rule", "batch-t", "obm", "ewc", "ar", "hw"]
COVER, WARN, SILENT, ALARMS = 0.94, 0.9, 0.06, 0.05  # as in score.h


def read(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def error(row, name):
    """Standard error of a share, as score.c takes it (Agresti and Coull 1998)."""
    n = float(row["replications"])
    p = (n * float(row[name]) + 2) / (n + 4)
    return (p * (1 - p) / (n + 4)) ** 0.5


def covers(row, name="coverage"):
    return float(row[name]) + 2 * error(row, name) >= COVER


def is_silent(row, name="silent"):
    return float(row[name]) - 2 * error(row, name) > SILENT


def passes(row):
    return covers(row) or float(row["warned"]) >= WARN


def share(some, of):
    return f"{sum(map(some, of))} of {len(of)} ({100 * sum(map(some, of)) / len(of):.0f} %)" if of else "-"


def depends(row):
    return row.get("dependent") == "1" or row.get("dependence") in ("ar1", "bursts", "bursts-loop")


def made_sets(sets):
    """sets: of each its name and rows. Not judged: programs synchronous with the tick, where no interval can help."""
    kinds = [("all", lambda r: True), ("dependent calls, at most 100 of them", lambda r: depends(r) and int(r["n"]) <= 100),
             ("1 000 calls and more", lambda r: int(r["n"]) >= 1000)]
    out = []
    for kind, test in kinds:
        chosen = [[r for r in rows if test(r) and r.get("locked") != "1"] for _, rows in sets]
        out.append(["cover or warn", kind] + [share(passes, rows) for rows in chosen])
        out.append(["silent misses at most 6 %", kind] + [share(lambda r: not is_silent(r), rows) for rows in chosen])
        out.append(["no false alarm, of those that cover", kind] +
                   [share(lambda r: float(r["warned"]) <= ALARMS, [r for r in rows if covers(r)]) for rows in chosen])
    return ["criterion", "cells"] + [name for name, _ in sets], out


def entry(row):
    if row is None:
        return "-"
    text = f"{100 * float(row['coverage']):.0f} / {100 * float(row['warned']):.0f} / {100 * float(row['silent']):.0f}"
    return text if not is_silent(row) and passes(row) else text + (" f" if is_silent(row) else " (f)")


def made_laws(rows, clock):
    """One line a law: covered, warned and silent per cent for each number of calls."""
    numbers = sorted({int(r["n"]) for r in rows})
    laws = {}
    for r in rows:
        if r["clock"] == clock:
            laws.setdefault(r["law"], {})[int(r["n"])] = r
    return ["law"] + [f"{n:,}" for n in numbers], [[law] + [entry(by_n.get(n)) for n in numbers] for law, by_n in laws.items()]


def method_columns(method):
    if method == "rule":
        return "coverage", "silent", "width_over_oracle"
    return method, method + " silent", method + " width"


def made_methods(sets):
    """On the tsc: cells that cover, cells with silent misses of the method with the rule's warnings, widths."""
    out = []
    for name, rows in sets:
        rows = [r for r in rows if r["clock"] == "tsc" and int(r["n"]) >= 1000]
        for method in METHODS:
            coverage, silent, width = method_columns(method)
            wide = [float(r[width]) for r in rows if r[width] and covers(r, coverage)]
            out.append([name, method, share(lambda r, of=coverage: covers(r, of), rows),
                        f"{100 * statistics.median(float(r[coverage]) for r in rows):.1f}",
                        share(lambda r, of=silent: not is_silent(r, of), rows),
                        f"{statistics.median(wide):.2f} ({len(wide)})" if wide else "-"])
    return ["cells, 1 000 calls and more", "method", "cover", "median coverage %", "silent at most 6 %, with the rule's warnings",
            "median width / oracle, of those that cover"], out

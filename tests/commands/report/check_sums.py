#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_sums.py REPORT.json REPORT.csv...: what a reader can add up in a report by hand is so.

Each row's mean times its calls is its total; shares of rows outside of others are the whole; no
number is a negative zero or no number at all."""
import csv
import json
import re
import sys

NEAR = 1e-9


def near(a, b, size):
    return abs(a - b) <= NEAR * max(abs(a), abs(b), size, 1)


def check_row(where, row):
    """A site of JSON, or of CSV with numbers read."""
    mean, total = row["mean_ns"], row["total_ns"]
    if mean is None or total is None:
        return
    set_aside = row["set_aside_ns"]
    size = row["calls"] * abs(row["raw_mean_ns"] or 0)
    assert near(mean * row["mean_calls"] + set_aside, total, size), \
        f"{where}: {mean} x {row['mean_calls']} + {set_aside} is not {total}"
    assert row["mean_calls"] == row["calls"] or row["set_aside"], \
        f"{where}: no reason for {row['mean_calls']} of {row['calls']} calls"
    assert 0 <= row["outer_calls"] <= row["calls"], f"{where}: outer calls"
    assert abs(row["outer_ns"]) <= abs(total) * (1 + NEAR), f"{where}: outer time"
    if row["self_ns"] is not None:
        assert row["self_ns"] <= total + NEAR * size + 1, f"{where}: self {row['self_ns']} of {total}"


def check_shares(rows):
    """Rows of which a part is inside others have that part of their share. What is inside counts
    in a row's share, too, which ends at the whole: the rest is then less than what its part says."""
    work = [row for row in rows if not row["waits"] and row["share"] is not None]
    if not work:
        return
    outer = sum(row["share"] * (row["outer_ns"] / row["total_ns"]) for row in work if row["total_ns"] > 0)
    whole = any(row["share"] == 1 and row["outer_ns"] < row["total_ns"] for row in work)
    assert near(outer, 1, 1) or (whole and 0 < outer < 1), f"shares of outer calls add up to {outer}"


def number(text):
    assert not re.fullmatch(r"-0(\.0*)?(e.*)?", text), f"{text} in JSON"
    return float(text)


def no_number(text):
    raise AssertionError(f"{text} in JSON")


def check_json(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file, parse_float=number, parse_constant=no_number)
    for i, row in enumerate(report["sites"]):
        warm = row["steadiness"]["warm_up"] if row["steadiness"] else None
        check_row(f"site {i} ({row['symbol']})", row | {"set_aside": bool(warm and warm["set_aside"])})
    check_shares(report["sites"])
    assert len(report["next_steps"]) <= 2, "more than two next steps"
    return report


def read(cell):
    if cell in ("true", "false"):
        return cell == "true"
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def check_csv(path, report):
    with open(path, encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(report["sites"]), "rows of CSV"
    for i, cells in enumerate(table):
        for name, cell in cells.items():
            assert cell not in ("-0", "nan", "-nan", "inf", "-inf"), f"row {i}, {name}: {cell}"
        row = {name: read(cell) for name, cell in cells.items()}
        check_row(f"row {i}", row | {"set_aside": row["warm_up_set_aside"]})
        for name in ("mean_calls", "set_aside_ns", "outer_ns", "self_ns", "total_ns", "share"):
            assert row[name] == report["sites"][i][name], f"row {i}: {name} is not JSON's"


for in_json, in_csv in zip(sys.argv[1::2], sys.argv[2::2]):
    try:
        check_csv(in_csv, check_json(in_json))
    except AssertionError as wrong:
        sys.exit(f"{in_json}: {wrong}")

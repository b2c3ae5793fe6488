# SPDX-License-Identifier: GPL-3.0-or-later
"""check_csv.py CSV JSON: RFC 4180, a row for each site, every field as in JSON."""
import csv
import re
import sys

from expected import clean, frame_name, load, same

# Names in JSON that are in CSV under another one, in several columns, or too long for one.
APART = {"doubts", "few_calls", "percentiles_ns", "histogram", "slow", "steadiness", "states", "charged_ns", "path", "stack"}
FIELD = re.compile(r'"(?:[^"]|"")*"|[^",\r\n]*')


def check_syntax(text):
    """Each line is fields by the grammar of RFC 4180, as many as the first has."""
    lines = text.split("\r\n")
    assert lines.pop() == ""
    counts = set()
    for line in lines:
        at, fields = 0, 0
        while True:
            at = FIELD.match(line, at).end()
            fields += 1
            if at == len(line):
                break
            assert line[at] == ",", line[at:]
            at += 1
        counts.add(fields)
    assert len(counts) == 1, counts


def text_of(value):
    """A text as CSV has it: clean, and no formula."""
    value = clean(value)
    return "'" + value if value[:1] in ("=", "+", "-", "@") and value else value


def check_number(found, value, what):
    if value is None:
        assert found == "", (what, found)
    else:
        assert abs(float(found) - value) <= 1e-9 * abs(value), (what, found, value)


def place_of(frame):
    if frame["file"] is not None:
        return frame["file"] + (":%d" % frame["line"] if frame["line"] else "")
    return ("" if frame["module"] is None else frame["module"] + "+") + "0x%x" % frame["offset"]


def check_list(text, elements):
    """Separated by ";", which no element has, and none is a formula: some spreadsheets cut there."""
    wanted = ";".join(text_of(e).replace(";", ":") for e in elements)
    assert same(text) == same(wanted), (text, wanted)


def check_site(row, site):
    for key, value in site.items():
        if key in APART:
            continue
        if isinstance(value, list):
            assert row[key] == ";".join(map(str, value)), (key, row[key], value)
        elif isinstance(value, bool):
            assert row[key] == str(value).lower(), (key, row[key], value)
        elif isinstance(value, str):
            assert same(row[key]) == same(text_of(value)), (key, row[key], value)
        else:
            check_number(row[key], value, key)
    for p in ("p50", "p90", "p99", "p999"):
        has = site["percentiles_ns"]
        check_number(row[p + "_ns"], has and has[p], p)
        check_number(row[p + "_ci_low_ns"], has and has[p + "_ci"][0], p)
        check_number(row[p + "_ci_high_ns"], has and has[p + "_ci"][1], p)
    doubts = site["percentiles_ns"]["doubts"] if site["percentiles_ns"] else {}
    assert row["percentile_doubts"] == ";".join(f"{p}:{why}" for p, whys in doubts.items() for why in whys)
    for key in ("ticks", "mean_ns", "ci_low_ns", "ci_high_ns"):
        check_number(row["slow_" + key], site["slow"] and site["slow"][key], "slow " + key)
    steady = site["steadiness"]
    if steady:
        check_number(row["first_call_ns"], steady["first_call"]["ns"], "first call")
        warm_up = steady["warm_up"]
        assert row["warm_up_set_aside"] == str(bool(warm_up and warm_up["set_aside"])).lower()
        check_number(row["drift_change"], steady["drift"] and steady["drift"]["change"], "drift")
        assert set(site["doubts"]) <= set(row["findings"].split(";")) | {""}
        assert site["few_calls"] == ("few-calls" in row["findings"].split(";")) == (1 < site["calls"] < 128)
    states = site["states"]
    check_number(row["switched_calls"], states and states["switched_calls"], "switched calls")
    for part in ("unswitched", "on_cpu", "runnable", "asleep", "charged"):
        of = site["charged_ns"] if part == "charged" else states and states[part]
        for key in ("mean_ns", "ci_low_ns", "ci_high_ns"):
            check_number(row[part + "_" + key], of and of[key], part)
    check_list(row["path"], [frame_name(f) for f in site["stack"]])
    check_list(row["path_places"], [place_of(f) for f in site["stack"]])
    assert (row["path_end"] == "") == (site["path"] == "complete")


def main(table, report):
    sites = load(report)["sites"]
    with open(table, encoding="utf-8", newline="") as f:
        text = f.read()
    check_syntax(text)
    csv.field_size_limit(1 << 24)
    rows = list(csv.DictReader(text.splitlines(keepends=True), strict=True))
    assert len(rows) == len(sites) > 0, (len(rows), len(sites))
    for row, site in zip(rows, sites):
        check_site(row, site)


main(*sys.argv[1:])

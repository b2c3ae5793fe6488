# SPDX-License-Identifier: GPL-3.0-or-later
"""check_computing.py JSON FOLDED PPROF CALLGRIND SPEEDSCOPE CSV HTML: what was computed, in each form of one profile: by function, and
in all, as the JSON report's rows have it; samples of calls have none of it, and samples of it have no calls."""
import collections
import csv
import json
import re
import sys

import check_pprof
from expected import frame_name, load, same


def innermost(row):
    return same(frame_name(row["stack"][0])) if row["stack"] else "(no frames)"


def near_all(found, want, off):
    """Rows are of machine functions: what is inlined into them is theirs, so totals alone are compared by name."""
    assert abs(sum(found.values()) - sum(want.values())) <= off, (sum(found.values()), sum(want.values()))


def of_folded(path):
    found = collections.Counter()
    with open(path, encoding="utf-8", newline="") as f:
        for line in f.read().split("\n")[:-1]:
            frames, value = re.fullmatch(r"(.*) (\d+)", line).groups()
            found[frames.split(";")[-1]] += int(value)
    return found


def of_pprof(path):
    profile = check_pprof.Profile(path)
    types = [profile.text(m.one(1)) for m in profile.top.many(1)]
    units = [profile.text(m.one(2)) for m in profile.top.many(1)]
    at, found = types.index("computing"), collections.Counter()
    assert units[at] == "nanoseconds" and profile.text(profile.top.one(14)) == "time"
    for sample in profile.top.many(2):
        values, places = sample.list(2), sample.list(1)
        assert places and len(values) == len(types)
        assert not values[at] or not any(values[:at] + values[at + 1:]), values
        if values[at]:
            assert {profile.text(m.one(1)) for m in sample.many(3)} <= {"program"}, "a label of a call"
            found[profile.names(places[0])[0][0]] += values[at]
    return found


def of_callgrind(path):
    found, function, names, called = collections.Counter(), None, {}, False
    with open(path, encoding="utf-8", newline="") as f:
        lines = f.read().split("\n")
    events = next(line for line in lines if line.startswith("events: ")).split()[1:]
    at = events.index("computing_ns")
    for line in lines:
        match = re.fullmatch(r"(c?fn)=\((\d+)\)(?: (.+))?", line)
        if match:
            names.setdefault(match[2], match[3])
            function = names[match[2]] if match[1] == "fn" else function
        elif line.startswith("calls="):
            called = True
        elif re.fullmatch(r"\d+( \d+)+", line):
            values = [int(v) for v in line.split()[1:]]
            assert called or not values[at] or not any(values[:at]), "one line of a call and of computing: " + line
            if not called:
                found[function] += values[at]
            called = False
        elif line.startswith("summary: "):
            total = int(line.split()[1 + at])
    assert total == sum(found.values()), (total, found)
    return found


def of_speedscope(path):
    with open(path, encoding="utf-8") as f:
        whole = json.load(f)
    names, found = [f["name"] for f in whole["shared"]["frames"]], collections.Counter()
    for profile in whole["profiles"]:
        assert profile["type"] == "sampled" and profile["startValue"] == 0
        assert len(profile["samples"]) == len(profile["weights"]) > 0
        assert sum(profile["weights"]) == profile["endValue"]
    assert whole["profiles"][whole["activeProfileIndex"]]["name"] == "time"
    (computing,) = [p for p in whole["profiles"] if p["name"] == "computing"]
    assert computing["unit"] == "nanoseconds"
    for path, value in zip(computing["samples"], computing["weights"]):
        found[names[path[-1]]] += value
    return found


def of_csv(path, rows):
    with open(path, encoding="utf-8", newline="") as f:
        table = list(csv.DictReader(f, strict=True))
    assert len(table) == len(rows) > 0
    for got, row in zip(table, rows):
        assert int(got["samples"]) == row["samples"]
        for field in ("share", "share_low", "share_high", "cpu_s"):
            assert abs(float(got[field]) - row[field]) <= 1e-12, (field, got, row)
        assert got["path"].count(";") >= len(row["stack"]) - 1


def of_page(path):
    with open(path, encoding="utf-8") as f:
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', f.read(), re.S)[1]
    page = json.loads(data)
    width = len(page["computing"]["fields"])
    assert len(page["computing"]["rows"]) == width * page["computing"]["of"]
    return page["box_computing"][1], page["computing"]["rows"][width - 1::width]


def main(report, folded, pprof, callgrind, speedscope, table, page):
    computing = load(report)["computing"]
    rows = computing["rows"]
    want = collections.Counter()
    for row in rows:
        want[innermost(row)] += 1e9 * row["cpu_s"]
    most = computing["samples"]  # a path is rounded to a whole ns
    near_all(want, {"all": 1e9 * (computing["cpu_s"] - computing["recording"]["cpu_s"])}, 1)
    by_name = of_folded(folded)
    near_all(by_name, want, most)
    for found in (of_pprof(pprof), of_callgrind(callgrind), of_speedscope(speedscope)):
        near_all(found, want, most)
        found = collections.Counter({same(name).replace(";", ":"): value for name, value in found.items()})
        assert +found == +collections.Counter({same(name): value for name, value in by_name.items()}), (found, by_name)
    of_csv(table, rows)
    top, cells = of_page(page)
    assert abs(top - sum(want.values())) <= 1e-5 * top and len(cells) == len(rows), (top, sum(want.values()))
    assert all(abs(cell - 1e9 * row["cpu_s"]) <= 1e-5 * cell + 1 for cell, row in zip(cells, rows))


if __name__ == "__main__":
    main(*sys.argv[1:])

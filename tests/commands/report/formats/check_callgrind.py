# SPDX-License-Identifier: GPL-3.0-or-later
"""check_callgrind.py CALLGRIND JSON: the grammar of callgrind's manual, names that
are told before they are used, and costs that add up: what a function costs by itself
is that of the sites; what its callers say that it costs them in all is no less."""
import collections
import re
import sys

from expected import ENDS, frame_name, has_costs, has_states, leaf_name, load, same, states_ns, time_ns, uncharged_ns

HEAD = re.compile(r"# callgrind format|version: 1|creator: scprof|positions: line|cmd: .*|"
                  r"events: ns calls bytes( on_cpu_ns runnable_ns asleep_ns)?( uncharged_ns)?|(?:summary|totals):(?: \d+){3,7}|")
NAME = re.compile(r"(ob|fl|fn|cob|cfi|cfn)=\((\d+)\)(?: (.+))?")


class Reader:
    def __init__(self, events):
        self.events = events
        self.names = collections.defaultdict(dict)
        self.own = collections.Counter()
        self.calls = []
        self.totals = set()
        self.at = {}
        self.pending = None

    def name(self, key, number, text):
        """Objects, files and functions are numbered apart; calls share the numbers."""
        kind = key[-2:].replace("fi", "fl")
        if text is not None:
            assert number not in self.names[kind], "told twice: " + text
            self.names[kind][number] = text
        self.at[key] = self.names[kind][number]

    def cost(self, line):
        values = [int(v) for v in line.split()]
        assert len(values) == 1 + self.events, line
        if self.pending is None:
            self.own.update({(self.at["fn"], i): v for i, v in enumerate(values[1:])})
        else:
            self.calls.append((self.at["fn"], self.at["cfn"], self.pending, values))
        self.pending = None

    def line(self, line):
        match = NAME.fullmatch(line)
        if match:
            self.name(*match.groups())
        elif line.startswith("calls="):
            assert re.fullmatch(r"calls=\d+ \d+", line), line
            self.pending = int(line[6:].split()[0])
        elif re.fullmatch(r"\d+(?: \d+){3,7}", line):
            self.cost(line)
        else:
            assert HEAD.fullmatch(line), line
            if line.startswith("events"):
                assert len(line.split()) == 1 + self.events, line
            if line.startswith(("summary", "totals")):
                self.totals.add(line.split(": ")[1])
                assert len(line.split()) == 1 + self.events, line


def edges_of(site):
    """Who calls whom, from which line: once each, however often the path goes there."""
    places = [((frame_name(f), f["module"], f["file"]), f["line"] or 0) for f in site["stack"]]
    places = [((leaf_name(site, True), None, None), 0)] + places
    places += [((end, None, None), 0) for end in ENDS[site["path"]]]
    return {(outer, line, inner) for (inner, _), (outer, line) in zip(places, places[1:])}


def check_edges(reader, sites):
    want, found = collections.Counter(), collections.Counter()
    for s in sites:
        for (outer, line, inner) in edges_of(s):
            want[same(outer[0]), line, same(inner[0])] += s["calls"]
    for caller, callee, count, values in reader.calls:
        assert count == values[2], (caller, callee, count, values)
        found[same(caller), values[0], same(callee)] += count
    assert found == want, (found - want, want - found)


def main(callgrind, report):
    sites = load(report)["sites"]
    states = has_states(sites)
    reader = Reader(3 + states + has_costs(sites))
    with open(callgrind, encoding="utf-8", newline="") as f:
        for line in f.read().split("\n"):
            reader.line(line)
    want = collections.Counter()
    for s in sites:
        for i, value in enumerate((time_ns(s), s["calls"], s["bytes"], *states_ns(s)[:states], uncharged_ns(s))):
            want[same(leaf_name(s, True)), i] += value
    for (name, i), value in want.items():
        found = sum(v for k, v in reader.own.items()
                    if same(k[0]) == name and k[1] == i)
        assert abs(found - value) <= len(sites), (name, i, found, value)
    sums = [sum(v for k, v in want.items() if k[1] == i) for i in range(reader.events)]
    assert len(reader.totals) == 1, reader.totals
    assert all(abs(int(t) - s) <= len(sites) for t, s in zip(reader.totals.pop().split(), sums))
    assert reader.calls, "nothing is called"
    check_edges(reader, sites)


main(*sys.argv[1:])

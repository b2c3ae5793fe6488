# SPDX-License-Identifier: GPL-3.0-or-later
"""check_folded.py FOLDED JSON time|calls|bytes|on_cpu|runnable|asleep|uncharged: every site with its path, as
FlameGraph reads lines: frames up to the last blank, separated by ';'."""
import re
import sys

from expected import STATES, load, near, same, stack, states_ns, time_ns, uncharged_ns

WEIGHT = {"time": time_ns, "calls": lambda s: s["calls"], "bytes": lambda s: s["bytes"], "uncharged": uncharged_ns,
          **{part: lambda s, i=i: states_ns(s)[i] for i, part in enumerate(STATES)}}


def main(folded, report, weight):
    want = [(s, WEIGHT[weight](s)) for s in load(report)["sites"]]
    want = [(s, w) for s, w in want if w]
    with open(folded, encoding="utf-8", newline="") as f:
        lines = f.read().split("\n")
    assert lines.pop() == "", "the last line has an end"
    assert len(lines) == len(want), (len(lines), len(want))
    for line, (site, value) in zip(lines, want):
        match = re.fullmatch(r"(.*) (\d+)", line)
        assert match, line
        frames = match[1].split(";")
        names = [n.replace(";", ":") for n in reversed(stack(site))]
        assert [same(f) for f in frames] == [same(n) for n in names], (frames, names)
        assert near(int(match[2]), value), (line, value)
    assert lines, "nothing was checked"


main(*sys.argv[1:])

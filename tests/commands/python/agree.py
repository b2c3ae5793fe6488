#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the call paths of a profile agree with what the program (tests/programs/python/knows.py) knows of its own stacks?

Usage: agree.py SCPROF PROFILE TALLY.json ...      every stack with exactly its count, none more, none missing.
A path that is marked (truncated, or Python frames missing) must agree as far as it goes; such calls are counted apart. The last line
is an object of figures; status 1: something differs."""
import collections
import json
import subprocess
import sys

FUNCTIONS = ("pwrite", "pwrite64")
SUBINTERPRETER = "inside" # the function that knows.py calls in one
SHOWN = 8


def known(paths):
    """Counter {((file, line, function), ... innermost first): calls}"""
    total = collections.Counter()
    for path in paths:
        with open(path) as f:
            for stack, calls in json.load(f):
                total[tuple(map(tuple, stack))] += calls
    return total


def python_frames(stack):
    """CPython's frames know a function's last name only; the report's are qualified since 3.11."""
    return tuple((f["file"], f["line"] or 0, f["function"].rsplit(".", 1)[-1]) for f in stack if f.get("language") == "python")


def recorded(scprof, profile):
    """Counter as known()'s, and one of the paths that are marked as incomplete, by (stack, mark)."""
    line = [scprof, "report", "--format", "json", "--include-warm-up", "--top", "0", "--together", profile]
    report = json.loads(subprocess.run(line, stdout=subprocess.PIPE, check=True).stdout)
    whole, marked = collections.Counter(), collections.Counter()
    for site in report["sites"]:
        if site["symbol"] in FUNCTIONS:
            stack, mark = python_frames(site["stack"]), site["path"]
            if mark in ("complete", "heuristic"):
                whole[stack] += site["calls"]
            else:
                marked[stack, mark] += site["calls"]
    return whole, marked


def take_marked(left, marked):
    """Take the calls of marked paths out of those that are `left`: of stacks that begin with theirs. Returns what fits none."""
    strange = collections.Counter()
    for (stack, mark), calls in sorted(marked.items(), key=lambda item: -len(item[0][0])):
        for whole in [w for w in left if w[:len(stack)] == stack]:
            taken = min(calls, left[whole])
            left[whole] -= taken
            calls -= taken
        if calls:
            strange[stack, mark] += calls
    return strange


def take_foreign(missing, strange):
    """Before 3.12 a thread's state is that of its first interpreter, even while it runs another: such calls only have to be marked.
    Takes them out of both; returns how many."""
    calls = 0
    for stack in [s for s in missing if s and s[0][2] == SUBINTERPRETER]:
        for path in [p for p in strange if p[1] == "python-cut"]:
            taken = min(missing[stack], strange[path])
            missing[stack] -= taken
            strange[path] -= taken
            calls += taken
    for counter in missing, strange:
        for key in [k for k, n in counter.items() if not n]:
            del counter[key]
    return calls


def show(title, stacks):
    for stack, calls in stacks.most_common(SHOWN):
        stack = stack if not stack or isinstance(stack[0][0], str) else stack[0] + ((stack[1],),)
        print(f"{title} {calls}: " + (" < ".join(":".join(map(str, frame)).rsplit("/", 1)[-1] for frame in stack) or "no Python frame"))


def main(scprof, profile, *tallies):
    truth = known(tallies)
    whole, marked = recorded(scprof, profile)
    missing, more = truth - whole, whole - truth
    strange = take_marked(missing, marked)
    missing = +missing
    foreign = take_foreign(missing, strange)
    show("missing", missing)
    show("more   ", more)
    show("marked, and wrong", strange)
    print(json.dumps({"calls": sum(truth.values()), "stacks": len(truth),
                      "sites": len({stack[0] for stack in truth if stack}),
                      "agree": sum((truth & whole).values()), "marked": sum(marked.values()),
                      "marks": dict(sum((collections.Counter({m: n}) for (_, m), n in marked.items()), collections.Counter())),
                      "foreign": foreign,
                      "missing": sum(missing.values()), "more": sum(more.values()), "strange": sum(strange.values())}))
    return 1 if missing or more or strange or not truth else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls run down only: from a folder to those below it, and never in a circle of files.

check_layers.py [BUILD]: reads what the object files below BUILD define and use (nm), so that a
call through any header counts. Exit status: 0 in order, 1 not, with a line a violation."""
import os
import subprocess
import sys

# From the bottom up. A file may use files of its own line, of its own folder, and of the lines before.
TOOL = [
    "stats/numerics",
    "stats/sequential",
    "stats/mean stats/histogram stats/stationarity stats/planning stats/regression stats/displacement stats/causal",
    "stats/compare",
    "profile/base",
    "profile/model",
    "profile/read",
    "profile/write profile/live",
    "collector",
    "collector/machine",
    "collector/clocks",
    "collector/launch",
    "collector/select",
    "collector/bench",
    "collector/attach/target",
    "collector/attach/safe_point",
    "collector/attach/refusal",
    "collector/attach/remote",
    "collector/attach",
    "collector/python",
    "collector/sample",
    "collector/dump",
    "collector/causal",
    "collector/displacement/fluid",
    "collector/displacement",
    "collector/displacement/sites",
    "collector/doctor",
    "report/wording report/containers",
    "report/symbols",
    "report/model",
    "report/findings",
    "report/loops report/compare report/live",
    "report/render/text report/render/stacks report/render/json",
    "report/render/html report/render/csv report/render/pprof",
    "report",
    "report/serve/sums",
    "report/serve/agent",
    "report/serve/render report/serve/pages",
    "report/serve/http",
    "cli/messages",
    "cli/usage",
    "cli/help cli/bench cli/displace cli/plan",
    "cli/run",
    "cli/attach",
    "cli/causal cli/diff",
    "cli",
]
LIBRARY = [
    "preload/system",
    "preload/unwind",
    "preload/process",
    "preload/second",
    "preload/clock",
    "preload/switches",
    "preload/filter",
    "preload/function",
    "preload/table",
    "preload/causal",
    "preload/python",
    "preload/start",
    "preload/call",
    "preload/region",
    "preload/selected",
    "preload/overhead",
    "preload/attach",
    "preload/interpose",
]


def symbols(path):
    """What an object file defines and what it takes from others."""
    defined, used = set(), set()
    for line in subprocess.check_output(["nm", "-P", path], text=True).splitlines():
        name, kind = line.split()[:2]
        if kind in "TDBRCVWGS":
            defined.add(name)
        elif kind == "U":
            used.add(name)
    return defined, used


def objects(build):
    for top in ("preload", "stats", "profile", "collector", "report", "cli"):
        for folder, _, names in os.walk(os.path.join(build, top)):
            for name in names:
                if name.endswith(".o"):
                    yield os.path.join(folder, name)


def graph(build):
    """file -> file -> the symbols that the first takes from the second"""
    found = {os.path.relpath(p, build)[:-2]: symbols(p) for p in objects(build)}
    edges = {f: {} for f in found}
    for library in (True, False):
        files = [f for f in found if f.startswith("preload/") == library]
        home = {s: f for f in files for s in found[f][0]}
        for f in files:
            for s in found[f][1]:
                if s in home and home[s] != f:
                    edges[f].setdefault(home[s], []).append(s)
    return edges


def circles(edges):
    """Strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in edges[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = []
            while True:
                part.append(stack.pop())
                if part[-1] == v:
                    break
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for v in sorted(edges):
        if v not in index:
            visit(v)
    return found


def edges_up(edges, order):
    """Edges from a folder to one that a later line of `order` names, and folders that none names."""
    level = {folder: i for i, line in enumerate(order) for folder in line.split()}
    found = []
    for f in sorted(edges):
        home = os.path.dirname(f)
        if home not in level:
            found.append("folder in no line of the order: %s" % home)
        for g in sorted(edges[f]):
            if level.get(os.path.dirname(g), -1) > level.get(home, len(order)):
                found.append("edge upwards: %s -> %s: %s" % (f, g, ", ".join(sorted(edges[f][g]))))
    return found


def print_circle(title, part, edges):
    print(title, " ".join(part))
    for f in part:
        for g in part:
            if g in edges[f]:
                print("   %s -> %s: %s" % (f, g, ", ".join(sorted(edges[f][g]))))


def main():
    edges = graph(sys.argv[1] if len(sys.argv) > 1 else "build")
    folders = {}
    for f in edges:
        for g in edges[f]:
            a, b = os.path.dirname(f), os.path.dirname(g)
            if a != b:
                folders.setdefault(a, {}).setdefault(b, []).append("%s->%s" % (os.path.basename(f), os.path.basename(g)))
            folders.setdefault(b, {})
    failed = False
    for library, order in ((True, LIBRARY), (False, TOOL)):
        part = {f: g for f, g in edges.items() if f.startswith("preload/") == library}
        for line in edges_up(part, order):
            print(line)
            failed = True
    for title, of in (("circle:", edges), ("folders in a circle:", folders)):
        for part in circles(of):
            print_circle(title, part, of)
            failed = True
    return 1 if failed else 0


sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Coz (Curtsinger and Berger 2015) on the same programs, and what its profile says of a line.

It samples by the kernel's task clock, so a virtual machine without hardware counters will do; it
needs perf_event_open. A line of a profile is one experiment: a line of the program was made faster
by a share, virtually, by stopping the other threads as often as the line was sampled, and so much
progress came in so much time (the stops left out). Coz plots, for each line, the share of the time
a unit that a share of the line's time brings, experiments of the same share added up."""
import json
import os
import re
import tempfile

import runs

FITTED = 0.5  # speed-ups up to this


def lines_of_sites(source="tests/bench/causal/work.c"):
    """Line numbers of WORK(a), ... by site."""
    with open(source) as f:
        found = [(re.match(r"WORK\((\w)\)", text), n) for n, text in enumerate(f, 1)]
    return {m.group(1): n for m, n in found if m}


def experiments(text):
    """(line, share, seconds, units) each."""
    fields = None
    for line in text.splitlines():
        kind, *rest = line.split("\t")
        values = dict(x.split("=", 1) for x in rest if "=" in x)
        if kind == "experiment":
            fields = values
        elif kind == "throughput-point" and fields:
            yield (int(fields["selected"].rsplit(":", 1)[1]) if ":" in fields["selected"] else 0, float(fields["speedup"]),
                   int(fields["duration"]) * 1e-9, int(values["delta"]))
            fields = None


def points(found, line):
    """Share of a unit's time that each share of the line's time brings, and the weight: units. Without an unchanged
    experiment of the line there is nothing to compare with: {}."""
    sums = {}
    for at, share, seconds, units in found:
        if at == line:
            s, n = sums.get(share, (0, 0))
            sums[share] = s + seconds, n + units
    s, n = sums.get(0.0, (0, 0))
    if not n:
        return {}
    return {share: (1 - (seconds / units) / (s / n), units) for share, (seconds, units) in sums.items() if share and units}


def gain(reduction):
    """Percent more throughput by so much less time a unit."""
    return 100 * (1 / (1 - reduction) - 1) if reduction < 1 else None


def predictions(found, line):
    """For 10 and 30 %: at the point plotted there, and of a straight line through the origin (weighted least squares
    over the points up to FITTED: what an eye makes of the plot, with the most data)."""
    of = points(found, line)
    fitted = [(x, y, w) for x, (y, w) in of.items() if x <= FITTED]
    below = sum(w * x * x for x, _, w in fitted)
    slope = sum(w * x * y for x, y, w in fitted) / below if below else None
    said = {"points": len(of), "experiments": sum(1 for x in found if x[0] == line)}
    for percent in runs.FASTER:
        share = percent / 100
        said[f"plotted_{percent}"] = gain(of[share][0]) if share in of else None
        said[f"fitted_{percent}"] = gain(slope * share) if slope is not None else None
    return said


def run(programs, program, seconds):
    """Of one run: {site: predictions}, how many experiments, the program's own throughput."""
    command = programs.command(program, seconds, path=f"{programs.build}/bench/algebra_coz")
    with tempfile.TemporaryDirectory() as folder:
        line = [*programs.before(), "coz", "run", "-o", f"{folder}/profile.coz", "---", *command]
        units_s = json.loads(runs.output(line, seconds + 60, cwd=folder).splitlines()[-1])["units_s"]
        if not os.path.exists(f"{folder}/profile.coz"):
            raise runs.Failure("no profile")
        with open(f"{folder}/profile.coz") as f:
            found = list(experiments(f.read()))
    lines = lines_of_sites()
    return {site: predictions(found, lines[site]) for site in runs.sites(program)}, len(found), units_s

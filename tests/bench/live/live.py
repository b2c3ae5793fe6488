#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often scprof diff --live errs, and what it finds: experiments on tests/bench/thirty.c, counted.

  tests/bench/live/live.py --build BUILD aa     --to FILE [--count 500] [--runs 30] [--calls 100] [--load 2]
                     [--command 'PROGRAM ARG' [--groups io]]
  tests/bench/live/live.py --build BUILD change --to FILE [--count 100] [--percent 1] [--calls 1000] [--load 0]
  tests/bench/live/live.py report FILE...

aa: both commands are the same; watched after each pair of runs until an alarm, or --runs of each.
--command: of another program instead.
change: one of the thirty sites, another one each time, costs PERCENT more on the new side. It
may make half of the calls that tests/bench/pilot.py asks for, from a pilot run of its own.
--load: so many busy processes beside. Each experiment is a line of FILE; what is there already
is not repeated, so that it can be interrupted. Nothing is asserted."""
import argparse
import collections
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from pilot import times  # noqa: E402

CYCLES = 3000  # of the cheapest of thirty's sites
PILOT_CALLS = 2000
SITES = 30


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("what", choices=["aa", "change", "report"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--to")
    parser.add_argument("--count", type=int)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--calls", type=int)
    parser.add_argument("--percent", type=float, default=1)
    parser.add_argument("--load", type=int)
    parser.add_argument("--command")
    parser.add_argument("--groups", default="all")
    a = parser.parse_args()
    a.count = a.count or (500 if a.what == "aa" else 100)
    a.calls = a.calls or (100 if a.what == "aa" else 1000)
    a.load = a.load if a.load is not None else (2 if a.what == "aa" else 0)
    return a


def planned(a, thirty):
    """Calls a site in each of two runs, as tests/bench/diff_pairs.py asks for them."""
    scprof = os.path.join(a.build, "scprof")
    with tempfile.TemporaryDirectory(prefix="scprof-live.") as work:
        pilot = os.path.join(work, "pilot.scp")
        subprocess.run([scprof, "run", "--no-report", "-o", pilot, "--", thirty, str(PILOT_CALLS), str(CYCLES)],
                       check=True, stderr=subprocess.DEVNULL)
        return PILOT_CALLS * times(scprof, pilot, a.percent)


def live(a, base, new, runs):
    groups = ["-g", a.groups] if a.command else []
    done = subprocess.run([os.path.join(a.build, "scprof"), "diff", "--live", "--json", "--equal", "0",
                           "--most", str(runs), *groups, base, new], stdout=subprocess.PIPE)
    if not done.stdout:
        sys.exit("live: scprof diff said nothing")
    return json.loads(done.stdout)


def experiment(a):
    thirty = os.path.join(a.build, "bench", "thirty")
    base = new = a.command or f"{thirty} {a.calls} {CYCLES}"
    result = {"what": a.what, "calls": a.calls, "load": a.load, "command": a.command}
    runs, site = a.runs, None
    if a.what == "change":
        site = random.randrange(SITES)
        new += f" {site} {a.percent}"
        result["plan"] = planned(a, thirty)
        runs = max(10, int(result["plan"] / 2 / a.calls))
    d = live(a, base, new, runs)
    named = [s for s in d["sites"] if s["status"] in ("slower", "faster")]
    right = [s for s in named if site is not None and s["status"] == "slower"
             and any(f.startswith(f"site_{site} ") for f in s["stack"])]
    result |= {"site": site, "percent": a.percent if site is not None else 0, "runs": d["runs"],
               "most": runs, "seconds": d["seconds"], "verdict": d["verdict"],
               "sites": len(d["sites"]), "found": bool(right), "wrong": len(named) - len(right),
               "whole": d["whole"]["status"] in ("slower", "faster"),
               "holds": [s["ci_low"] <= 1 + a.percent / 100 <= s["ci_high"] for s in right],
               "load_average": os.getloadavg()[0]}
    return result


def run(a):
    there = 0
    if os.path.exists(a.to):
        with open(a.to) as f:
            there = sum(1 for _ in f)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(a.load)]
    try:
        for _ in range(there, a.count):
            result = experiment(a)
            with open(a.to, "a") as f:
                f.write(json.dumps(result) + "\n")
    finally:
        for process in busy:
            process.kill()


def beta_limits(k, n):
    """Clopper and Pearson, 95 %, by bisection of the binomial distribution."""
    def at_most(x, p):
        return sum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(x + 1))

    def solve(good):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if good(middle) else (low, middle)
        return low
    lower = 0 if k == 0 else solve(lambda p: 1 - at_most(k - 1, p) < 0.025)
    upper = 1 if k == n else solve(lambda p: at_most(k, p) > 0.025)
    return f"95 % interval {100 * lower:.1f} to {100 * upper:.1f} %"


def middle(values):
    return sorted(values)[len(values) // 2]


def tell(what, lines):
    n = len(lines)
    loads = [r["load_average"] for r in lines]
    work = f"{what[3]}, {middle([r['sites'] for r in lines])} sites" if what[3] else f"{what[1]} calls a site and run"
    print(f"{what[0]}: {n} experiments, {work}, {what[2]} busy processes beside, "
          f"load average {min(loads):.1f} to {max(loads):.1f}, {middle(loads):.1f} in the middle; "
          f"{sum(r['seconds'] for r in lines):.0f} s in all")
    alarms = sum(r["wrong"] > 0 or (r["whole"] and what[0] == "aa") for r in lines)
    if what[0] == "aa":
        print(f"  watched for {max(r['most'] for r in lines)} runs of each; "
              f"an alarm in {alarms}, {100 * alarms / n:.1f} % ({beta_limits(alarms, n)})")
        return
    found = [r for r in lines if r["found"]]
    share = [r["runs"] * r["calls"] / r["plan"] for r in found]
    print(f"  one site {lines[0]['percent']:g} % slower, found in {len(found)}, {100 * len(found) / n:.1f} % "
          f"({beta_limits(len(found), n)}); another one named, too or instead, in {alarms}")
    if not found:
        return
    print(f"  calls a site made until then: {middle([r['runs'] * r['calls'] for r in found]):,.0f} on each side in the "
          f"middle, {max(r['runs'] * r['calls'] for r in found):,.0f} at most; plan asks for "
          f"{middle([r['plan'] for r in lines]):,.0f} in the middle")
    print(f"  of what plan asks for: {100 * middle(share):.0f} % in the middle, {100 * max(share):.0f} % at most; "
          f"time in the middle {middle([r['seconds'] for r in found]):.1f} s")
    print(f"  the interval holds the change in {sum(all(r['holds']) for r in found)} of {len(found)}")


def report(files):
    kinds = collections.defaultdict(list)
    for name in files:
        with open(name) as f:
            for line in f:
                r = json.loads(line)
                kinds[r["what"], r["calls"], r["load"], r.get("command") or ""].append(r)
    for what, lines in sorted(kinds.items()):
        tell(what, lines)


def main():
    a = arguments()
    if a.what == "report":
        report(a.files)
    else:
        run(a)


main()

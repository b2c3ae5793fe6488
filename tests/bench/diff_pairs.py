#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often scprof diff errs, and how often it finds: pairs of runs, counted.

  tests/bench/diff_pairs.py --build BUILD aa      [--pairs 200] [--runs 1] [--calls N]
  tests/bench/diff_pairs.py --build BUILD change  [--pairs 200] [--runs 1] [--calls N] [--percent 5] [--load N]
  tests/bench/diff_pairs.py --build BUILD command [--pairs 20]  [--runs 3] -- COMMAND [ARG...]
  tests/bench/diff_pairs.py --build BUILD redis   [--pairs 20]  [--runs 3]

aa: tests/bench/thirty.c twice, nothing changed. change: one of its thirty sites, another one each
time, costs PERCENT more on the new side. command, redis: a real program twice; redis is
redis-server under redis-benchmark. The runs of a side are recorded in turn with the other
side's, the order drawn anew each time. --calls: a site's calls in a run of thirty; without it
pilot.py says how many for CPU time, from a pilot run before each pair. --load: so many busy
processes beside. Nothing is asserted: the counts are printed. docs/diff.md has figures.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from pilot import times

CYCLES = 3000  # of the cheapest of thirty's sites: what a call adds besides is 1/30 of them
PILOT_CALLS = 2000
SITES = 30


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("what", choices=["aa", "change", "command", "redis"])
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--calls", type=int)
    parser.add_argument("--percent", type=float, default=5)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", help="directory for the profiles of pairs that were judged wrongly")
    parser.add_argument("command", nargs="*")
    a = parser.parse_args()
    real = a.what in ("command", "redis")
    a.pairs = a.pairs or (20 if real else 200)
    a.runs = a.runs or (3 if real else 1)
    if a.what == "command" and not a.command:
        parser.error("which command?")
    return a


def quiet(command, **more):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)


class Target:
    """Something that can be profiled again and again."""

    def __init__(self, a, work):
        self.a, self.scprof, self.work = a, os.path.join(a.build, "scprof"), work

    def prepare(self):
        pass

    def record(self, profile, changed):
        quiet([self.scprof, "run", "--no-report", "-o", profile, "--", *self.command(changed)])
        if not os.path.exists(profile):
            sys.exit("diff_pairs: no profile of " + " ".join(self.command(changed)))


class Thirty(Target):
    def __init__(self, a, work):
        super().__init__(a, work)
        self.calls, self.site, self.planned_calls = a.calls, 0, []
        bench = os.path.join(a.build, "bench")
        self.program = os.path.join(bench, "thirty")

    def prepare(self):
        """Another site; and as many calls as a pilot run and the plan made from it say."""
        self.site = random.randrange(SITES)
        if not self.a.calls:
            self.calls = self.planned()
        self.planned_calls.append(self.calls)

    def planned(self):
        pilot = os.path.join(self.work, "pilot.scp")
        self.calls = PILOT_CALLS
        self.record(pilot, False)
        factor = times(self.scprof, pilot, self.a.percent)
        os.unlink(pilot)
        return max(1, round(PILOT_CALLS * factor))

    def command(self, changed):
        line = [self.program, str(self.calls), str(CYCLES)]
        return line + [str(self.site), str(self.a.percent)] if changed else line


class Command(Target):
    def command(self, changed):
        return self.a.command


class Redis(Target):
    PORT = "7791"

    def record(self, profile, changed):
        server = subprocess.Popen(
            [self.scprof, "run", "-g", "socket,wait", "--no-report", "-o", profile, "--",
             "redis-server", "--port", self.PORT, "--save", ""],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if quiet(["redis-cli", "-p", self.PORT, "ping"]).returncode == 0:
                break
            time.sleep(0.05)
        quiet(["redis-benchmark", "-p", self.PORT, "-P", "4", "-c", "20", "-n", "60000", "-t", "set,get"])
        quiet(["redis-cli", "-p", self.PORT, "shutdown", "nosave"])
        server.wait()


def record_pair(target, number):
    """The runs of both sides in turn; which side begins is drawn."""
    sides = {"base": [], "new": []}
    for run in range(target.a.runs):
        order = ["base", "new"]
        random.shuffle(order)
        for side in order:
            profile = os.path.join(target.work, f"{number}.{side}.{run}.scp")
            target.record(profile, side == "new" and target.a.what == "change")
            sides[side].append(profile)
    return sides


def compare(target, sides):
    done = subprocess.run([target.scprof, "diff", "--format", "json", *sides["base"], "--", *sides["new"]],
                          stdout=subprocess.PIPE)
    if not done.stdout:
        sys.exit("diff_pairs: scprof diff said nothing")
    return done.returncode, json.loads(done.stdout)


def is_changed_site(site, number):
    return any(frame["function"] == f"site_{number}" for frame in site["stack"])


def judge(target, status, diff):
    """(found what was changed, named something that was not): in CPU time or elapsed time"""
    named = [s for s in diff["sites"] if s["status"] in ("slower", "faster")]
    if target.a.what != "change":
        return False, bool(named)
    right = [s for s in named if s["status"] == "slower" and is_changed_site(s, target.site)]
    return bool(right), len(named) > len(right)


def count_pairs(target, counts, detectable):
    a = target.a
    for number in range(a.pairs):
        target.prepare()
        sides = record_pair(target, number)
        status, diff = compare(target, sides)
        found, wrong = judge(target, status, diff)
        counts["pairs"] += 1
        counts["found"] += found
        counts["wrong"] += wrong
        counts[status] += 1
        detectable += [s["detectable"] - 1 for s in diff["sites"] if s["detectable"]]
        failed = wrong or (a.what == "change" and not found)
        if failed:
            tell(number, diff)
        for profile in sides["base"] + sides["new"]:
            if a.keep and failed:
                os.replace(profile, os.path.join(a.keep, os.path.basename(profile)))
            else:
                os.unlink(profile)


def tell(number, diff):
    print(f"pair {number}: {diff['verdict']}", flush=True)
    for s in diff["sites"]:
        if s["status"] in ("slower", "faster"):
            print(f"    {s['symbol']} {s['verdict']} ({s['base']['calls']:.0f} calls)", flush=True)


def main():
    a = arguments()
    random.seed(a.seed)
    if a.keep:
        os.makedirs(a.keep, exist_ok=True)
    counts = {"pairs": 0, "found": 0, "wrong": 0, 0: 0, 1: 0, 2: 0}
    detectable, started = [], time.monotonic()
    with tempfile.TemporaryDirectory(prefix="scprof-diff.") as work:
        kind = {"aa": Thirty, "change": Thirty, "command": Command, "redis": Redis}[a.what]
        target = kind(a, work)
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(a.load)]
        try:
            count_pairs(target, counts, detectable)
        except KeyboardInterrupt:
            print("interrupted: what there is so far", flush=True)
        finally:
            for process in busy:
                process.kill()
        report(a, target, counts, detectable, time.monotonic() - started)


def report(a, target, counts, detectable, seconds):
    if not counts["pairs"]:
        return
    detectable.sort()
    middle = f"{100 * detectable[len(detectable) // 2]:.1f} %" if detectable else "-"
    calls = ""
    if isinstance(target, Thirty):
        planned = sorted(target.planned_calls)
        calls = f", {planned[0]} to {planned[-1]} calls a site, {planned[len(planned) // 2]} in the middle"
    print(f"{a.what}: {counts['pairs']} pairs, {a.runs} runs a side{calls}, {seconds:.0f} s, "
          f"load {a.load} besides, load average {os.getloadavg()[1]:.1f} at the end")
    print(f"  exit status 0: {counts[0]}, 1: {counts[1]}, 2: {counts[2]}")
    if a.what == "change":
        print(f"  the changed site was found in {counts['found']} ({100 * counts['found'] / counts['pairs']:.1f} %)")
        print(f"  another site was named, too or instead, in {counts['wrong']}")
    else:
        print(f"  a change was reported in {counts['wrong']} ({100 * counts['wrong'] / counts['pairs']:.1f} %)")
    print(f"  a change that would have been seen at the middle site: {middle}")


main()

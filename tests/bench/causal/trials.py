#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often the causal profile's intervals hold what faster sites really bring, and Coz beside.

  tests/bench/causal/trials.py --build BUILD DIR [--programs NAME,...] [--rivals none,half] [--rounds 40] [--seconds 8]
                         [--realised 6] [--coz N] [--minutes M] [--first] [--at 'work_*'] [--options '...']
  tests/bench/causal/trials.py --table DIR

In a round each program runs once under `scprof causal`, then its variants in turn (tests/bench/causal/realised.py) for
--realised seconds in all, and in every Nth round once under Coz; programs in an order drawn anew. Rivals change from round to
round. DIR/causal.jsonl, coz.jsonl and realised.jsonl keep the runs, also a run's error; the same command goes on where it
stopped, and ends after --minutes. What is realised is that of all rounds with the same rivals. Nothing is asserted."""
import argparse
import json
import os
import random
import shlex
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import coz
import judge
import realised
import runs

SITE = ("symbol", "slope", "ci_low", "ci_high", "p", "q", "shape", "told", "mean_ns", "basis", "calls_per_unit", "delay_ns", "slope_low",
        "slope_high", "slope_others_slower", "latency", "at_most", "at_least", "brings_10_percent", "brings_30_percent", "note")
WHOLE = ("progress", "windows", "window_s", "elapsed_s", "asked_percent", "slowdown_percent", "slowdown_ci_low", "slowdown_ci_high",
         "carried_p", "seed")


def causal(programs, program, seconds, at, options):
    """What `scprof causal` says of one run, without the stacks."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/causal.json"
        line = [*programs.before(2), f"{programs.build}/scprof", "causal", "--progress", "unit", "-s",
                f"{programs.build}/bench/libwork.so:work_*", "--for", f"{seconds:g}s", "--end", "--json", "-o", out,
                *(["--at", at] if at else []), *options, "--", *programs.before(), *programs.command(program, seconds + 20)]
        runs.output(line, seconds + 60)
        with open(out) as f:
            said = json.load(f)
    return {**{k: said.get(k) for k in WHOLE}, "warnings": [w["code"] for w in said.get("warnings", [])],
            "sites": [{k: s.get(k) for k in SITE} for s in said["sites"]]}


def attempt(kept, work, **key):
    """Once a round; what it gave, or why it gave nothing, is kept."""
    if kept.of(**key):
        return
    began = time.monotonic()
    try:
        kept.add(**key, **work(), took=round(time.monotonic() - began, 2))
    except (runs.Failure, OSError, ValueError, KeyError) as e:
        runs.say(f"{key}: {e}")
        kept.add(**key, failed=str(e))


def coz_run(programs, program, seconds):
    said, found, units_s = coz.run(programs, program, seconds)
    return {"sites": said, "experiments": found, "units_s": units_s}


def one_round(a, programs, kept, number, rivals):
    names = a.programs.split(",")
    for program in random.sample(names, len(names)):
        if time.monotonic() > a.ends:
            return
        key = {"program": program, "rivals": rivals, "round": number}
        attempt(kept["causal"], lambda: causal(programs, program, a.seconds, a.at, shlex.split(a.options)), **key)
        if a.realised:
            realised.one_round(programs, kept["realised"], program, rivals, number, a.realised)
        if a.coz and number % a.coz == 0:
            attempt(kept["coz"], lambda: coz_run(programs, program, a.seconds), **key)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--build", default="build")
    parser.add_argument("--programs", default=",".join(runs.USUAL))
    parser.add_argument("--rivals", default="none,half")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--realised", type=float, default=6)
    parser.add_argument("--coz", type=int, default=0)
    parser.add_argument("--first", action="store_true", help="with real-time priority, the tool before the programs")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--at", default="work_*")
    parser.add_argument("--options", default="", help="more options of scprof causal")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    a = parser.parse_args()
    runs.end_in_order()
    a.ends = time.monotonic() + 60 * a.minutes
    kept = {name: runs.Kept(a.folder, f"{name}.jsonl") for name in ("causal", "coz", "realised")}
    if not a.table:
        runs.refuse_left_over(os.path.join(a.build, "bench/algebra"))
        programs = runs.Programs(a.build, runs.steps_of(a.folder, a.build), a.first)
        kinds = a.rivals.split(",")
        for number in range(a.rounds):
            if time.monotonic() > a.ends:
                break
            rivals = kinds[number % len(kinds)]
            with programs.rivals(rivals):
                one_round(a, programs, kept, number, rivals)
    judge.table(kept)


if __name__ == "__main__":
    main()

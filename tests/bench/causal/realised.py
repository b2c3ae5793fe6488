#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What faster sites really bring: the programs of tests/bench/causal/algebra.c, unchanged and changed, in turn.

  tests/bench/causal/realised.py --build BUILD DIR [--programs NAME,...] [--rivals none,half,one] [--rounds 10] [--seconds 6] [--turn MS] [--first]
  tests/bench/causal/realised.py --table DIR

A round runs each program for --seconds, in an order drawn anew; within it its variants take turns, and a gain is the ratio
to the unchanged one's. DIR/realised.jsonl keeps the runs; the same command goes on where it stopped. Beside stands what algebra says
(tests/bench/causal/laws.py). Nothing is asserted."""
import argparse
import math
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import laws
import runs

# What waits in their queues changes slowly: as the square of the room.
SLOW = ("balanced", "queue of 16")
TURN_MS = 30


def one_round(programs, kept, program, rivals, number, seconds, turn_ms=TURN_MS):
    """What of the round is not there yet; the rivals are running. All variants take turns in one process, in so short ones
    that what the machine does meanwhile strikes all."""
    if kept.of(program=program, rivals=rivals, round=number):
        return
    turn = turn_ms * (10 if program in SLOW else 1)
    try:
        said = programs.run(program, seconds, (f"turns={turn:g}",))["variants"]
    except (runs.Failure, ValueError, KeyError) as e:
        runs.say(f"{program}: {e}")
        return
    for name, of in said.items():
        kept.add(program=program, rivals=rivals, round=number, variant=name, units_s=of["units_s"], unit_us=of["unit_us"])


def gain(kept, program, rivals, variant, of="units_s"):
    """Percent more throughput, or less time a unit (of="unit_us"), and half of its interval: by the mean of the rounds'
    logarithms, so that a noisy denominator does not bias it."""
    base = {x["round"]: x[of] for x in kept.of(program=program, rivals=rivals, variant="base")}
    pairs = [(x[of], base.get(x["round"])) for x in kept.of(program=program, rivals=rivals, variant=variant)]
    mean, half = runs.mean_interval([math.log(v / b) for v, b in pairs if v and b])  # none: nothing completed in so short a run
    sign = 1 if of == "units_s" else -1
    return 100 * sign * math.expm1(mean), 100 * math.exp(mean) * half


def table(kept):
    print(f"{'program':14}{'rivals':8}{'variant':9}{'rounds':>6}{'units/s':>9}{'algebra':>9}   {'gain, %':>16}{'algebra':>9}   "
          f"{'less time a unit, %':>20}")
    for program in runs.PROGRAMS:
        shape, *arguments = runs.PROGRAMS[program]
        for rivals in runs.RIVALS:
            for variant, settings in runs.variants(program).items():
                of = kept.of(program=program, rivals=rivals, variant=variant)
                if not of:
                    continue
                rate, _ = runs.mean_interval([x["units_s"] for x in of])
                computed = laws.throughput(shape, (*arguments, *settings))
                line = f"{program:14}{rivals:8}{variant:9}{len(of):6}{rate:9.0f}{computed:9.0f}   "
                if variant != "base":
                    brings, half = gain(kept, program, rivals, variant)
                    latency, latency_half = gain(kept, program, rivals, variant, "unit_us")
                    by_law = laws.gain(shape, arguments, variant[0], float(variant[1:]))
                    line += f"{brings:8.2f} ±{half:5.2f}{by_law:11.2f}   {latency:12.2f} ±{latency_half:5.2f}"
                print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--build", default="build")
    parser.add_argument("--programs", default=",".join(runs.USUAL))
    parser.add_argument("--rivals", default="none")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--turn", type=float, default=TURN_MS, help="milliseconds; ten times that where queues are long")
    parser.add_argument("--first", action="store_true", help="with real-time priority")
    parser.add_argument("--table", action="store_true", help="only print what is there")
    a = parser.parse_args()
    runs.end_in_order()
    kept = runs.Kept(a.folder, "realised.jsonl")
    if not a.table:
        runs.refuse_left_over(os.path.join(a.build, "bench/algebra"))
        programs = runs.Programs(a.build, runs.steps_of(a.folder, a.build), a.first)
        for number in range(a.rounds):
            for rivals in a.rivals.split(","):
                with programs.rivals(rivals):
                    for program in random.sample(a.programs.split(","), len(a.programs.split(","))):
                        one_round(programs, kept, program, rivals, number, a.seconds, a.turn)
    table(kept)


if __name__ == "__main__":
    main()

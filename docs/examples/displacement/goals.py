#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How good displacement is on this machine, each claim measured many times over: what
computation, rest, receive steering on and off, and the fluid's own effect on a program show.

  compute    displacement against getrusage, run by run; burner: while another process
             burns the second CPU
  rest       what is found beside a sleeping command, as a share of the CPUs' time
  steering   runs with steering on, or on a wire of a limited rate, whose interval
             excludes 0, and with it off whose interval includes 0, in turn (needs root)
  bound      steering on, beside a process that has a part of the second CPU, and beside none, in turn:
             whether the lower bound is one, and whether the upper limit holds
  stolen     `known` without a load, while a control group's quota takes 0 to 30 % of the fluid's time
             away in one piece (root, cgroup v1): what a host does that steals
  known      how often the 95 % interval covers a load of known size (tests/bench/known_load.c: signal
             handlers in the fluids' threads), beside a computation
  fluid      a program that blocks often, with and without the fluid, in turn: what CPU
             time it is charged, how long it is on a CPU (by perf's task-clock, in runs of
             their own), elapsed time, an operation each
"""
import contextlib
import glob
import json
import math
import os
import statistics
import subprocess
import tempfile
import time

import common


def spread(values):
    """Median, and its 95 % interval by order statistics (at least 6 values)."""
    ordered, n = sorted(values), len(values)
    low = max((k for k in range(n // 2 + 1)
               if sum(math.comb(n, i) for i in range(k)) / 2 ** n <= 0.025), default=0)
    if n < 6:
        return statistics.median(ordered), None, None
    return statistics.median(ordered), ordered[low - 1], ordered[n - low]


RUNS = (("run", 3, "d"), ("getrusage s", 11, ".4f"), ("displaced s", 11, ".4f"), ("diff %", 7, "+.3f"),
        ("kept %", 6, ".0f"), ("others %", 8, ".0f"), ("stolen %", 8, ".1f"))


def compute(bench, o, burner):
    name = "burner" if burner else "compute"
    table = common.Table(f"goals-{name}", f"Computation{', beside a burner' if burner else ''}: "
                         f"{o.loops} x 1000 us a run", RUNS, o.out)
    put = ["compute", o.loops, 1000, *bench.computing()]
    for number in range(1, o.replications + 1):
        found = bench.displace(*put, replications=1)
        used, displaced = found["accounting"]["rusage_s"], found["displacement"]["mean_s"]
        off = None if displaced is None else common.share(displaced - used, used)
        table.row(number, used, displaced, off, *common.quality(found))
    said = [row[3] for row in table.data if row[3] is not None]
    table.say(f"{len(said)} of {len(table.data)} runs say anything, {sum(abs(v) <= 1 for v in said)} of these are "
              f"within 1 % of getrusage")
    if said:
        table.say("median {:+.3f} %".format(statistics.median(said))
                  + f", mean {statistics.fmean(said):+.3f} %, from {min(said):+.3f} to {max(said):+.3f} %")
    hard = [row[3] for row in table.data if row[6] >= 10]
    table.say(f"the host stole 10 % or more in {len(hard)} runs"
              + (f": largest difference {max(abs(v) for v in hard if v is not None):.3f} %"
                 if any(v is not None for v in hard) else ""))
    table.finish()


def rest(bench, o):
    table = common.Table("goals-rest", "At rest: work charged to nobody beside `sleep 5`, of the CPUs' time", (
        ("run", 3, "d"), ("found %", 8, "+.4f"), ("from", 8, "+.4f"), ("to", 8, "+.4f"), *common.QUALITY), o.out)
    for number in range(1, o.replications + 1):
        found = bench.displace(5, command="sleep", replications=1, more=["--rest", "2s"])
        wall, lost = found["all_cpus"]["wall_s"], found["unaccounted"]
        table.row(number, *(common.share(lost[key], wall) for key in ("mean_s", "ci_low_s", "ci_high_s")),
                  *common.quality(found))
    said = [abs(row[1]) for row in table.data if row[1] is not None]
    table.say(f"{len(said)} of {len(table.data)} runs say anything, {sum(v < 0.2 for v in said)} of these are below 0.2 %")
    table.finish()


# Truth, operations (so that each takes about as long), CPUs.
STATES = (("on", "on", 1, 2), ("off", "off", 4, 2), ("wire", "on", 0.25, 1))


def steering(bench, o):
    table = common.Table("goals-steering", f"Uncharged time seen, 2000 bytes, loopback with steering on ({o.loops} "
                         f"operations) and off ({4 * o.loops}), and a wire of 200 Mbit/s ({o.loops // 4})", (
                             ("run", 3, "d"), ("steering", 8, "s"), ("lost %", 8, "+.2f"), ("from", 8, "+.2f"),
                             ("to", 8, "+.2f"), ("as it is", 8, "s"), ("took s", 6, ".1f"), *common.QUALITY), o.out)
    with common.Wire() as wire:
        for number in range(1, o.replications + 1):
            for state in STATES:
                if o.quiet is not None:
                    bench.await_quiet()
                table.row(number, *steering_run(bench, o, wire, *state))
    for state, *_ in STATES:
        rows = [row for row in table.data if row[1] == state]
        said = [row[2] for row in rows if row[3] is not None]
        table.say(f"{'steering ' if state != 'wire' else ''}{state}: {sum(row[5] == 'yes' for row in rows)} of {len(rows)} "
                  f"runs see it as it is ({len(rows) - len(said)} say nothing); median lost "
                  f"{statistics.median(said) if said else math.nan:.2f} %; "
                  f"longest took {max(row[6] for row in rows):.1f} s")
    table.finish()


def steering_run(bench, o, wire, state, truth, times, cpus):
    problem = wire.tell("steer", f"{1 << bench.cpus[1]:x}" if state == "on" else 0) \
        or wire.tell("rate", 200 if state == "wire" else 0)
    if problem:
        raise common.Refused(f"{problem}: steering needs root, the wire needs tc and sch_tbf")
    began = time.monotonic()
    found = bench.displace_once("send", max(1, int(o.loops * times)), 2000, "--cpu", bench.cpus[0], cpus=bench.cpu_list(cpus),
                                *wire.where("veth" if state == "wire" else "loopback"), replications=1)
    return (state, *verdict(found["unaccounted"], found["accounting"]["rusage_s"], truth), time.monotonic() - began,
            *common.quality(found))


# Microseconds of computation and of sleep of the process beside.
BESIDE = (None, (1000, 9000), (2000, 2000), (8000, 2000), (1000, 0))


def bound(bench, o):
    table = common.Table("goals-bound", f"A lower bound: 2000 bytes, loopback, steering on, {o.loops} operations, beside a "
                         "process that computes and sleeps so many us on the second CPU", (
                             ("run", 3, "d"), ("beside", 9, "s"), ("seen s", 8, ".4f"), ("from", 8, ".4f"), ("to", 8, ".4f"),
                             ("bound", 6, "s"), ("took s", 6, ".1f"), *common.QUALITY), o.out)
    with common.Wire() as wire:
        problem = wire.tell("steer", f"{1 << bench.cpus[1]:x}")
        if problem:
            raise common.Refused(f"{problem}: steering needs root")
        for number in range(1, o.replications + 1):
            for beside in BESIDE:
                with bench.burner(bench.cpus[1], *beside) if beside else contextlib.nullcontext():
                    began = time.monotonic()
                    found = bench.displace_once("send", o.loops, 2000, "--cpu", bench.cpus[0], *wire.where("loopback"),
                                                replications=1)
                lost = found["unaccounted"]
                table.row(number, "/".join(map(str, beside)) if beside else "nobody", lost["mean_s"], lost["ci_low_s"],
                          lost["ci_high_s"], lost["bound"] or "none", time.monotonic() - began, *common.quality(found))
    alone = [row[2] for row in table.data if row[1] == "nobody" and row[2] is not None and row[5] == "none"]
    if not alone:
        table.say("no run beside nobody says anything: the machine is busy, so the truth is not known")
    else:
        truth = statistics.median(alone)
        said = [row for row in table.data if row[1] != "nobody" and row[2] is not None]
        table.say(f"{truth:.4f} s in the median beside nobody; beside somebody {len(said)} runs say anything: the lower limit "
                  f"is below that in {sum(row[3] <= truth for row in said)}, the upper one above it in "
                  f"{sum(row[4] >= truth for row in said)}; {sum(row[5] == 'lower' for row in said)} say that it is a bound")
    table.finish()


PERIOD_US = 100000


def take_away(process, share, cpus):
    """A quota for the fluid's own control group, as soon as there is one."""
    while process.poll() is None:
        for group in glob.glob(f"/sys/fs/cgroup/cpu*/**/scprof-fluid-{process.pid}", recursive=True):
            with contextlib.suppress(OSError):
                for name, value in (("period", PERIOD_US), ("quota", int(cpus * PERIOD_US * (1 - share)))):
                    with open(os.path.join(group, f"cpu.cfs_{name}_us"), "w", encoding="ascii") as file:
                        file.write(str(value))
                return True
        time.sleep(0.01)
    return False


def stolen(bench, o):
    table = common.Table("goals-stolen", f"Computation, {o.loops} x 1000 us, while the fluid is kept from its CPUs for a "
                         "share of the time", (("run", 3, "d"), ("taken %", 7, ".0f"), ("lost s", 8, ".4f"),
                                               ("from", 8, ".4f"), ("to", 8, ".4f"), *common.QUALITY), o.out)
    for number in range(1, o.replications + 1):
        for share in (0, 0.1, 0.2, 0.3):
            with tempfile.TemporaryDirectory() as folder:
                answer = os.path.join(folder, "answer.json")
                process = subprocess.Popen([bench.scprof, "displace", "-q", "--json", "-o", answer, "--rest", o.rest,
                                            "--cpus", bench.cpu_list(), "--", bench.put, "compute", str(o.loops), "1000",
                                            *bench.computing()], stdout=subprocess.DEVNULL)
                if share and not take_away(process, share, len(bench.cpus)):
                    raise common.Refused("no control group of the fluid's own: that needs root and cgroup v1")
                process.wait()
                with open(answer, encoding="utf-8") as file:
                    found = json.load(file)
            lost = found["unaccounted"]
            table.row(number, 100 * share, lost["mean_s"], lost["ci_low_s"], lost["ci_high_s"], *common.quality(found))
    for share in (0, 10, 20, 30):
        rows = [row for row in table.data if row[1] == share]
        said = [row for row in rows if row[2] is not None]
        table.say(f"{share} % taken: {len(said)} of {len(rows)} runs say anything; the interval contains 0 in "
                  f"{sum(row[3] <= 0 <= row[4] for row in said)} of these")
    table.finish()


def verdict(lost, used, truth):
    """Percent of getrusage with its limits, and whether they tell on from off."""
    percent = [common.share(lost[key], used) for key in ("mean_s", "ci_low_s", "ci_high_s")]
    if None in percent:
        return *percent, "unknown"
    seen = "on" if percent[1] > 0 else "off" if percent[2] >= 0 else "below 0"
    return *percent, "yes" if seen == truth else "no"


def known(bench, o):
    table = common.Table("goals-known", f"A load of known size in the fluids, beside {o.loops} x 1000 us of computation", (
        ("run", 3, "d"), ("known s", 9, ".4f"), ("found s", 9, ".4f"), ("from", 8, ".4f"), ("to", 8, ".4f"),
        ("covered", 8, "s"), *common.QUALITY), o.out)
    tool = os.path.join(o.build, "bench", "known_load")
    if not os.access(tool, os.X_OK):
        raise common.Refused(f"{tool} is not there: build first (make bench-programs)")
    said = common.run_text([tool, str(o.replications), "400", bench.put, "compute", str(o.loops), "1000", *bench.computing()])
    for number, line in enumerate((line for line in said.splitlines() if line.startswith("known: ")), 1):
        words = line.split()[1:]
        each = {key: float(value) for key, value in zip(words[::2], words[1::2])}
        limits = [None if math.isnan(each[key]) else each[key] for key in ("lost_s", "low_s", "high_s")]
        covered = "unknown" if None in limits else "yes" if limits[1] <= each["known_s"] <= limits[2] else "no"
        table.row(number, each["known_s"], *limits, covered, common.share(each["kept"], each["windows"]),
                  *(common.share(each[key], each["wall_s"]) for key in ("others_s", "stolen_s")))
    told = [row for row in table.data if row[5] != "unknown"]
    table.say(f"{len(told)} of {len(table.data)} runs say anything; the interval covers the known load in "
              f"{sum(row[5] == 'yes' for row in told)} of these")
    told = [row for row in told if row[1]]
    if told:
        off = [common.share(row[2] - row[1], row[1]) for row in told]
        half = [common.share((row[4] - row[3]) / 2, row[1]) for row in told]
        table.say(f"found is off by {statistics.median(off):+.2f} % in the median, from {min(off):+.2f} to {max(off):+.2f} %; "
                  f"median half width {statistics.median(half):.2f} %")
    table.finish()


def fluid(bench, o):
    numbers = [column for name in ("charged", "on CPU", "elapsed")
               for column in ((name, 8, ".2f"), ("with", 7, ".2f"), ("ratio", 6, ".3f"), ("from", 6, ".3f"), ("to", 6, ".3f"))]
    table = common.Table("goals-fluid", "The fluid's effect: a program that blocks often, with the fluid / without, "
                         f"medians of {o.replications} pairs, us an operation",
                         (("program", 29, "s"), *numbers), o.out)
    first, second = bench.cpus
    with common.Wire() as wire:
        pairs(table, bench, o, "ping-pong, two CPUs, loopback",
              ["--cpu", first, "--peer-cpu", second, *wire.where("loopback")])
        pairs(table, bench, o, "ping-pong, one CPU, loopback", ["--cpu", first, *wire.where("loopback")])
        if wire.tell("rate", 100) is None:
            pairs(table, bench, o, "one CPU, wire of 100 Mbit/s", ["--cpu", first, *wire.where("veth")])
    table.finish()


def pair(bench, put, fluid_first):
    """What put says without the fluid and with it."""
    said = {}
    for with_fluid in (fluid_first, not fluid_first):
        if bench.o.quiet is not None:
            bench.await_quiet()
        if with_fluid:
            said[True] = bench.displace_once(*put, replications=1, more=["--no-task-clock"])["put"][0]
        else:
            said[False] = bench.alone(*put)
    return said[False], said[True]


def pairs(table, bench, o, name, where):
    """The counter costs such a program some of its CPU time: what it says comes from runs of its own."""
    put, charged, clocked = ["send", o.loops, 2000, *where], [], []
    for number in range(o.replications):
        charged.append(pair(bench, put, number % 2 == 1))
        clocked.append(pair(bench, [*put, "--task-clock"], number % 2 == 0))
    columns = []
    for runs, cost in ((charged, lambda said: said["self_s"] + said["sink_s"]), (clocked, lambda said: said["on_cpu_s"]),
                       (charged, lambda said: said["elapsed_s"])):
        a, b = zip(*((cost(alone), cost(beside)) for alone, beside in runs))
        columns += [1e6 * statistics.median(a) / o.loops, 1e6 * statistics.median(b) / o.loops,
                    *spread([y / x for x, y in zip(a, b, strict=True)])]
    table.row(name, *columns)


def main():
    parser = common.options(__doc__.splitlines()[0], loops=None, replications=20)
    parser.add_argument("goal", choices=("compute", "burner", "rest", "steering", "bound", "stolen", "known", "fluid"))
    o = parser.parse_args()
    o.loops = o.loops or {"compute": 1000, "burner": 1000, "steering": 60000, "bound": 60000, "stolen": 2000, "known": 1000, "fluid": 20000}.get(o.goal)
    bench = common.Bench(o)
    if o.goal == "compute":
        compute(bench, o, False)
    elif o.goal == "burner":
        with bench.burner(bench.cpus[1]):
            compute(bench, o, True)
    else:
        {"rest": rest, "steering": steering, "bound": bound, "stolen": stolen, "known": known, "fluid": fluid}[o.goal](bench, o)


common.main(main)

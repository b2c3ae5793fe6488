#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Table 3 and Figure 5: which accounting predicts throughput. Sender, sink and
the work of the network share one CPU; between the two ends is a veth wire of a limited rate,
so that packets wait, and move on in interrupts, as on a real network. The cost of sending
is measured with a pause after each message, as long as the computation will be (so that the
wire has caught up by the next one), less the cost of the pauses alone. Then each send is followed by a computation a little longer than
the transmission, which keeps the CPU busy all the time, and the throughput is

      1 / (CPU time to send + CPU time to compute)

if that CPU time is right. "real" comes from `scprof displace --confirm`: messages a second of CPU
time that this busy program had, without the fluid, and that nobody had: where it is busy all the
time, interrupts strike the program itself, and are charged to it. On a machine left alone that is
the elapsed time ("wall /s", "had %" near 100). It runs at the highest ordinary priority if it
may; where it had the CPU for less than 85 % of the time all the same, other tasks took the
interrupts, nothing is confirmed, and no figure printed. Needs root, or user namespaces for all."""
import math
import statistics

import common

COLUMNS = (("bytes", 6, "d"), ("compute", 7, ".1f"), ("getrusage", 9, ".2f"), ("displaced", 9, ".2f"),
           ("from", 7, ".2f"), ("to", 7, ".2f"), ("real /s", 8, ".1f"), ("displ /s", 8, ".1f"), ("off %", 6, "+.2f"),
           ("rusage /s", 9, ".1f"), ("off %", 6, "+.2f"), ("wall /s", 8, ".1f"), ("had %", 6, ".1f"), ("idle %", 6, ".1f"),
           *common.QUALITY)
LEAST_COMPUTE_US = 100


def main():
    parser = common.options(__doc__, loops=2000, replications=5)
    parser.add_argument("--sizes", default="1000,2000,3000,4000,5000,6000,7000,8000", help="bytes (%(default)s)")
    parser.add_argument("--rate", type=float, default=200, help="of the wire, Mbit/s (%(default)s)")
    o = parser.parse_args()
    bench = common.Bench(o)
    with common.Wire() as wire:
        problem = wire.tell("rate", o.rate)
        if problem:
            raise common.Refused(f"no wire of a limited rate: {problem} (it needs tc and the kernel's sch_tbf)")
        table = common.Table("table3", f"Table 3: messages a second of CPU {bench.cpus[0]}, predicted and real; us an "
                             f"operation; wire of {o.rate:g} Mbit/s; {o.loops} operations x {o.replications} runs",
                             COLUMNS, o.out)
        for size in map(int, o.sizes.split(",")):
            row(table, bench, o, size, wire.where("veth"))
    table.say(common.summarise([row[8] for row in table.data], "displacement, mean absolute error"))
    table.say(common.summarise([row[10] for row in table.data], "getrusage, mean absolute error"))
    table.finish("figure5")


def row(table, bench, o, size, where):
    compute = max(LEAST_COMPUTE_US, 1.25 * 8 * size / o.rate)
    one = bench.cpu_list(1)
    send = bench.displace("send", o.loops, size, "--pause", compute, *where, cpus=one)
    pauses = bench.displace("pause", o.loops, compute, cpus=one)
    rusage, displaced, low, high = beyond(common.operation(send), common.operation(pauses))
    computing, real, wall, had, idle = busy(bench, o, size, compute, where)
    predicted = [None if cost is None else 1e6 / (cost + computing) for cost in (displaced, rusage)]
    off = [None if p is None or real is None else 100 * (p / real - 1) for p in predicted]
    table.row(size, computing, rusage, displaced, low, high, real, predicted[0], off[0], predicted[1], off[1],
              wall, 100 * had, 100 * idle, *common.quality(send))


def beyond(whole, pauses):
    """What sending costs beside the pauses, and the limits of the difference."""
    rusage = whole[0] - pauses[0]
    if whole[1] is None or pauses[1] is None:
        return rusage, None, None, None
    half = math.hypot((whole[3] - whole[2]) / 2, (pauses[3] - pauses[2]) / 2)
    displaced = whole[1] - pauses[1]
    return rusage, displaced, displaced - half, displaced + half


def busy(bench, o, size, compute, where):
    """Computation alone, us; messages a second of CPU and of the clock; shares of time that
    the program had, and that was idle. Computation alone and with sending in turn."""
    alone, confirmed, taken, elapsed = [], 0, [], []
    had = idle = 0
    for _ in range(o.replications):
        alone.append(bench.alone("compute", o.loops, compute, *bench.computing(), "--cpu", bench.cpus[0],
                                 first=True)["self_s"])
        found = bench.displace_once("send", o.loops, size, "--compute", compute, *bench.computing(), *where,
                                    cpus=bench.cpu_list(1), replications=1, first=True, more=["--confirm", "--no-task-clock"])
        confirm = found["confirm"]
        taken.append(confirm["taken_s"])
        elapsed += confirm["elapsed_s"]
        had += confirm["had_share"] / o.replications
        idle += confirm["idle_share"] / o.replications
        confirmed += confirm["confirms"]
    real = o.loops / statistics.median(taken) if 2 * confirmed > o.replications else None
    return 1e6 * statistics.median(alone) / o.loops, real, o.loops / statistics.fmean(elapsed), had, idle


common.main(main)

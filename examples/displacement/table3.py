#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Table 3 and Figure 5: which accounting predicts throughput. Sender, sink and
the work of the network share one CPU; between the two ends is a veth wire of a limited rate,
so that packets wait, and move on in interrupts, as on a real network. The cost of sending
is measured as in Table 2. Then each send is followed by a computation a little longer than
the transmission, which keeps the CPU busy all the time, and the throughput is

      1 / (CPU time to send + CPU time to compute)

if that CPU time is right. It is held against messages a CPU second that the host did
not steal and no other task had, without the fluid ("real"). Where the program had
the CPU for less than 85 % of the time ("had %"), the clock cannot confirm anything, and
no figure is printed. Needs root, or user namespaces for all."""
import common

COLUMNS = (("bytes", 6, "d"), ("compute", 7, ".0f"), ("getrusage", 9, ".2f"), ("displaced", 9, ".2f"),
           ("real /s", 8, ".1f"), ("displ /s", 8, ".1f"), ("off %", 6, "+.2f"), ("rusage /s", 9, ".1f"),
           ("off %", 6, "+.2f"), ("idle %", 6, ".1f"), ("had %", 6, ".1f"), *common.QUALITY)
LEAST_COMPUTE_US = 100
BUSY = 0.03  # idle share up to which a CPU is saturated
OURS = 0.85  # of the time, at least, the CPU is the program's in a confirmation


def main():
    parser = common.options(__doc__, loops=2000, replications=3)
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
    table.say(common.summarise([row[6] for row in table.data], "displacement, mean absolute error"))
    table.say(common.summarise([row[8] for row in table.data], "getrusage, mean absolute error"))
    table.finish("figure5")


def row(table, bench, o, size, where):
    one = bench.cpu_list(1)
    compute = max(LEAST_COMPUTE_US, 1.25 * 8 * size / o.rate)
    send = bench.displace("send", o.loops, size, *where, cpus=one)
    alone = bench.displace("compute", o.loops, compute, *bench.computing(), cpus=one)
    both = bench.displace("send", o.loops, size, "--compute", compute, *bench.computing(), *where, cpus=one,
                          more=["--confirm"])
    confirm = both["confirm"]
    # put's own words: of the runs beside the fluid first, then of those without it.
    alone_said = both["put"][-len(confirm["elapsed_s"]):]
    had = sum(said["self_s"] + said["sink_s"] for said in alone_said) / sum(confirm["elapsed_s"])
    real = o.loops / confirm["taken_s"] if confirm["idle_share"] <= BUSY and had >= OURS else None
    rusage, displaced, *_ = common.operation(send)
    computing = alone["per_operation_us"]["rusage_us"]
    predicted = [None if cost is None else 1e6 / (cost + computing) for cost in (displaced, rusage)]
    off = [None if p is None or real is None else 100 * (p / real - 1) for p in predicted]
    table.row(size, computing, rusage, displaced, real, predicted[0], off[0], predicted[1], off[1],
              100 * confirm["idle_share"], 100 * had, *common.quality(send))


common.main(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Table 4 and Figure 6: what the number of operations a run does to mean and
standard deviation of 20 replications, for a TCP message of 2000 bytes over a veth pair as a
wire of a limited rate, all of it on one CPU."""
import math

import common

COLUMNS = (("L_PUT", 6, "d"), ("runs", 4, "d"), ("mean us", 9, ".2f"), ("StD", 8, ".3f"), ("StD %", 6, ".2f"),
           ("half 95 %", 9, ".3f"), ("getrusage", 9, ".2f"), *common.QUALITY)


def main():
    parser = common.options(__doc__, loops=None, replications=20)
    parser.add_argument("--counts", default="200,1000,5000,10000,15000", help="of operations a run (%(default)s)")
    parser.add_argument("--bytes", type=int, default=2000, help="of the message (%(default)s)")
    parser.add_argument("--rate", type=float, default=200, help="of the wire, Mbit/s (%(default)s)")
    o = parser.parse_args()
    bench = common.Bench(o)
    with common.Wire() as wire:
        problem = wire.tell("rate", o.rate)
        if problem:
            raise common.Refused(f"no wire of a limited rate: {problem} (it needs tc and the kernel's sch_tbf)")
        table = common.Table("table4", f"Table 4: TCP send of {o.bytes} bytes, wire of {o.rate:g} Mbit/s, us an "
                             f"operation: mean and deviation of {o.replications} replications", COLUMNS, o.out)
        for loops in map(int, o.counts.split(",")):
            row(table, bench, o, ["send", loops, o.bytes, *wire.where("veth")])
    table.finish("figure6")


def row(table, bench, o, put):
    loops = put[1]
    found = bench.displace(*put, cpus=bench.cpu_list(1))
    used, mean, low, high, _ = common.operation(found)
    runs = found["runs"] - found["runs_disturbed"]
    half = None if mean is None else (high - low) / 2
    # From five runs on the interval is made of nothing but how much they differ.
    deviation = half * math.sqrt(runs) / common.student(0.975, runs - 1) if half is not None and runs >= 5 else None
    table.row(loops, runs, mean, deviation, common.share(deviation, mean), half, used, *common.quality(found))


common.main(main)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Table 2 and Figure 4: a TCP message of 1 to 8 KB and its one-byte reply, by
getrusage and by displacement: over loopback and over a veth pair, in network namespaces of
its own, with the kernel's receive steering off, and on to a second CPU; and over the veth pair
as a wire of a limited rate, where packets wait their turn and are sent by a timer's interrupt.
Sender and sink share the first CPU, and getrusage has both.

Steering needs root. Without it the rows with steering off are printed, and it is said."""
import sys

import common

COLUMNS = (("net", 8, "s"), ("steering", 8, "s"), ("bytes", 6, "d"), ("getrusage", 9, ".2f"), ("displaced", 9, ".2f"),
           ("from", 8, ".2f"), ("to", 8, ".2f"), ("diff %", 7, "+.1f"), *common.QUALITY)


def main():
    parser = common.options(__doc__, loops=10000, replications=3)
    parser.add_argument("--sizes", default="1000,2000,3000,4000,5000,6000,7000,8000", help="bytes (%(default)s)")
    parser.add_argument("--rate", type=float, default=200, help="of the limited wire, Mbit/s (%(default)s)")
    o = parser.parse_args()
    bench = common.Bench(o)
    with common.Wire() as wire:
        table = common.Table("table2", f"Table 2: TCP send and reply, us an operation; {o.loops} operations x "
                             f"{o.replications} runs, both processes on CPU {bench.cpus[0]}, "
                             f"steering to CPU {bench.cpus[1]}", COLUMNS, o.out)
        for net in ("loopback", "veth"):
            for steering in ("off", "on"):
                problem = wire.tell("steer", f"{1 << bench.cpus[1]:x}" if steering == "on" else 0)
                if problem:
                    print(f"table2: no rows with steering {steering}: {problem} (it needs root)", file=sys.stderr)
                    continue
                fill(table, bench, o, net, steering, wire.where(net), o.loops)
        wire.tell("steer", 0)
        problem = wire.tell("rate", o.rate)
        if problem:
            print(f"table2: no rows with a wire of {o.rate:g} Mbit/s: {problem} (it needs tc and sch_tbf)",
                  file=sys.stderr)
        else:
            # A message takes some ten times as long there; and all of it happens on one CPU.
            fill(table, bench, o, f"{o.rate:g}Mbit", "off", wire.where("veth"), max(1, o.loops // 8), cpus=1)
        table.finish("figure4")


def fill(table, bench, o, net, steering, where, loops, cpus=2):
    for size in map(int, o.sizes.split(",")):
        found = bench.displace("send", loops, size, "--cpu", bench.cpus[0], *where, cpus=bench.cpu_list(cpus))
        table.row(net, steering, size, *common.operation(found), *common.quality(found))


common.main(main)

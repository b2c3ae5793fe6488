#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's Table 1 and Figure 2: pure computation of 400 to 3200 us an operation, by
getrusage and by displacement, which should agree."""
import common


def main():
    parser = common.options(__doc__, loops=500, replications=3)
    parser.add_argument("--sizes", default="400,800,1200,1600,2000,2400,2800,3200", help="us an operation (%(default)s)")
    parser.add_argument("--burner", action="store_true", help="while another process burns the second CPU")
    o = parser.parse_args()
    bench = common.Bench(o)
    columns = [("asked us", 8, ".0f"), ("getrusage", 9, ".1f"), ("displaced", 9, ".1f"), ("from", 8, ".1f"),
               ("to", 8, ".1f"), ("diff %", 7, "+.2f"), *common.QUALITY]
    table = common.Table("table1", f"Table 1: computation, us an operation; {o.loops} operations x {o.replications} runs"
                         + (", beside a burner" if o.burner else ""), columns, o.out)
    if o.burner:
        with bench.burner(bench.cpus[1]):
            fill(table, bench, o)
    else:
        fill(table, bench, o)
    table.say(common.summarise([row[5] for row in table.data], "displacement off getrusage, mean absolute"))
    table.finish("figure2")


def fill(table, bench, o):
    for asked in map(float, o.sizes.split(",")):
        found = bench.displace("compute", o.loops, asked, *bench.computing())
        table.row(asked, *common.operation(found), *common.quality(found))


common.main(main)

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a wrapped call costs, 15 frames deep."""
import measure


def bench(tools, rounds, scale):
    deep, unwinder = tools.program("bench/deep_call"), tools.program("bench/deep_unwind")
    many, few, fewest = (str(int(n * scale)) for n in (20_000_000, 1_000_000, 10_000))

    def time_of(tool, *command):
        return lambda: float(tools.output(tool, list(command)).split()[0])

    variants = {
        "plain call": time_of("plain", deep, "call", many),
        "two rdtsc and an indirect call": time_of("plain", deep, "rdtsc", many),
        "scprof, page clock": time_of("scprof -c page", deep, "call", many),
        "scprof, coarse clock": time_of("scprof -c coarse", deep, "call", many),
        "scprof, tsc": time_of("scprof -c tsc", deep, "call", many),
        "scprof, dual (tsc and page)": time_of("scprof -c dual", deep, "call", many),
        "scprof, monotonic": time_of("scprof -c monotonic", deep, "call", many),
        "scprof, tsc, 2 threads": time_of("scprof -c tsc", deep, "call", many, "2"),
        "plain call, 2 threads": time_of("plain", deep, "call", many, "2"),
        "scprof, tsc, a chosen symbol": time_of("scprof -c tsc -s libempty.so:empty_chosen", deep, "chosen", many),
        "scprof, page clock, a chosen symbol":
            time_of("scprof -c page -s libempty.so:empty_chosen", deep, "chosen", many),
        "scprof, tsc, inside a chosen symbol": time_of("scprof -c tsc -s libempty.so:empty_*", deep, "inside", many),
        "scprof, tsc, a chosen symbol inside another":
            time_of("scprof -c tsc -s libempty.so:empty_*", deep, "chosen-inside", many),
        "uftrace, library calls": time_of("uftrace", deep, "call", few),
        "libunwind, unw_backtrace alone": time_of("plain", unwinder, "unwind", few),
        "ltrace -c": time_of("ltrace", deep, "call", fewest),
    }
    steal = measure.Steal()
    results, failed = measure.interleave(variants, rounds)
    measure.header("A wrapped call, 15 frames deep",
                   "what", "ns a call", "added to the plain call", "to two rdtsc")
    base, pair = results["plain call"], results["two rdtsc and an indirect call"]
    for name, values in results.items():
        if name in failed:
            measure.row(name, failed[name], "-", "-")
            continue
        added = [v - b for v, b in zip(values, base)]
        measure.row(name, measure.spread(values, "{:.1f}"), f"{measure.median(added):.1f}",
                    f"x {measure.median(measure.ratios(values, pair)):.2f}")
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")

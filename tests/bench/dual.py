# SPDX-License-Identifier: GPL-3.0-or-later
"""In how many runs does the slow clock's interval cover the mean that the fast clock found
for the same calls? Operations of 50 ns to 5 ms, at ordinary priority (at the ticker's own one
it would keep the ticker from its CPU), on CPUs left alone and beside busy loops on all of them."""
import known
import measure

LENGTHS_NS = (50, 500, 5_000, 50_000, 500_000, 5_000_000)
RUN_NS = 400_000_000 # in watched calls of a run
MOST_CALLS = 3_000_000
CLOCKS = (("page, 1 ms", "-c dual"), ("page, 0.1 ms", "-c dual -d 100us --exact-tick"))


def calls_for(length_ns, scale):
    return max(41, int(min(RUN_NS / length_ns, MOST_CALLS) * scale))


def one(tools, options, steps, calls):
    _, report, _ = known.calibrated(tools, options, "mean", steps, calls, front=None)
    s = known.site(report, "recv")
    slow = s["slow"]
    return {
        "covers": slow["covers_fast_mean"],
        "overlaps": slow["ci_low_ns"] <= s["ci_high_ns"] and s["ci_low_ns"] <= slow["ci_high_ns"],
        "ratio": slow["mean_ns"] / s["mean_ns"],
        "ticks": slow["ticks"],
        "error": (slow["mean_ns"] - s["mean_ns"]) / slow["standard_error_ns"] if slow["standard_error_ns"] else 0,
        "warned": bool(slow.get("doubts") or s["doubts"]
                       or any(w["code"] == "slow-clock-biased" for w in report["warnings"])),
    }


def table(title, results):
    measure.header(title, "a call", "ticks of a run", "fast mean inside", "intervals meet",
                   "slow mean / fast mean", "off by, standard errors", "warned of")
    every = []
    for length, runs in results.items():
        every += runs
        measure.row(f"{length / 1000:g} µs", measure.spread([r["ticks"] for r in runs], "{:.0f}"),
                    known.share(sum(r["covers"] for r in runs), len(runs)),
                    sum(r["overlaps"] for r in runs), measure.spread([r["ratio"] for r in runs], "{:.3f}"),
                    measure.spread([r["error"] for r in runs], "{:+.2f}"), sum(r["warned"] for r in runs))
    measure.row("all", "", known.share(sum(r["covers"] for r in every), len(every)),
                sum(r["overlaps"] for r in every), "", "", sum(r["warned"] for r in every))


def bench(tools, runs, scale):
    step = known.step_ns(tools)
    each = max(1, runs // (2 * len(LENGTHS_NS)))
    for name, options in CLOCKS:
        for loaded in (False, True):
            results, steal = {length: [] for length in LENGTHS_NS}, measure.Steal()
            with known.load(loaded):
                for _ in range(each):
                    for length in LENGTHS_NS:
                        results[length].append(one(tools, options, round(length / step), calls_for(length, scale)))
            table(f"Slow clock against fast, {name}, {'CPUs busy' if loaded else 'CPUs left alone'}", results)
            print(f"\nthe host stole {steal.percent():.1f} % of the CPUs' time")

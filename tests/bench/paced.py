# SPDX-License-Identifier: GPL-3.0-or-later
"""Is a program that is synchronous with the tick detected, and no other?
tick_paced sleeps until the kernel's tick and then works for 200 us, so that a clock of those
ticks never sees it work; the randomised page clock does, and so does the fast clock beside it."""
import known
import measure

ROUNDS, SECONDS = "400", "1"
CODE = "clock-synchronous"


def warned(report):
    return any(w["code"] == CODE for w in report["warnings"])


def paced(tools, options):
    command = [tools.program("tests/programs/tick_paced"), ROUNDS]
    _, report, _ = known.watched(tools, f"{options} -g io", command, front=known.first_in_line)
    site = known.site(report, "read")
    return {"mean": site["mean_ns"] / 1000, "low": site["ci_low_ns"] / 1000, "high": site["ci_high_ns"] / 1000,
            "slow": site["slow"], "named": warned(report) and CODE in site["doubts"]}


def unpaced(tools):
    """([p of each entry], sites warned of, sites) of a run that knows nothing of the tick."""
    out = tools.fresh()
    profile = f"{out}/p.scp"
    try:
        known.run([tools.program("scprof"), "run", "-c", "coarse", "--no-report", "-o", profile, "--",
                   tools.program("tests/programs/asynchronous"), SECONDS])
        lines = known.run([tools.program("bench/phase_p"), profile]).splitlines()
        report = known.report_of(tools, profile, by="path")
    finally:
        tools.forget(out)
    return ([float(line.split()[2]) for line in lines], sum(CODE in s["doubts"] for s in report["sites"]),
            len(report["sites"]))


def bench(tools, runs, _):
    steal = measure.Steal()
    coarse, dual = [], []
    for _ in range(max(1, runs // 5)):
        coarse.append(paced(tools, "-c coarse"))
        dual.append(paced(tools, "-c dual"))
    measure.header("Paced by the tick, 200 µs of work", "clock", "runs", "mean, µs", "interval from, µs", "to, µs",
                   "named clock-synchronous", "the fast mean is inside")
    measure.row("coarse", len(coarse), *(measure.spread([r[k] for r in coarse], "{:.1f}") for k in ("mean", "low", "high")),
                known.share(sum(r["named"] for r in coarse), len(coarse)), "-")
    slow = [{k: r["slow"][f"{k}_ns"] / 1000 for k in ("mean", "ci_low", "ci_high")} for r in dual]
    measure.row("page, randomised", len(dual),
                *(measure.spread([r[k] for r in slow], "{:.1f}") for k in ("mean", "ci_low", "ci_high")),
                known.share(sum(CODE in r["slow"].get("doubts", []) for r in dual), len(dual)),
                known.share(sum(r["slow"]["covers_fast_mean"] for r in dual), len(dual)))
    measure.row("tsc, the same calls", len(dual), *(measure.spread([r[k] for r in dual], "{:.1f}") for k in ("mean", "low", "high")), "-", "-")
    every, warnings, sites = [], 0, 0
    for _ in range(runs):
        p, named, of = unpaced(tools)
        every += p
        warnings, sites = warnings + named, sites + of
    measure.header(f"Not paced: {runs} runs of {SECONDS} s, {len(every)} tests", "p below", "tests", "expected")
    for level in (0.5, 0.1, 0.01, 0.001, 0.0001):
        measure.row(level, known.share(sum(p < level for p in every), len(every)), f"{100 * level:g} %")
    print(f"\n{warnings} of {sites} rows were named {CODE}; the host stole {steal.percent():.1f} % of the CPUs' time")

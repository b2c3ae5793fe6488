# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a call's time went, as scprof says, against what the program found itself
(known_states.c): how often does a state's interval cover the mean of the run's own calls, and
how often that of the law by which their lengths were drawn? The interval is about the law, so
the first share should be higher than 95 %, most of all where every switched call was read, and
the second about 95 %. What is not drawn, such as how late a wake-up is, has no law: there only
the run's own mean is a truth."""
import json
import random

import known
import measure

STATES = ("on_cpu", "runnable", "asleep")
CALLS = 200 # of a site, in a run
VARIANTS = (("tsc, budget", "-c tsc --states budget"), ("tsc, exact", "-c tsc --states exact"),
            ("page, budget", "-c page -d 100us --exact-tick --states budget"))


def one(tools, options, calls, seed):
    """(what the program says, the report) of a run."""
    out = tools.fresh()
    profile = f"{out}/p.scp"
    try:
        said = known.run([tools.program("scprof"), "run", *options.split(), "--no-report", "-o", profile, "--",
                          tools.program("bench/known_states"), str(calls), str(seed)])
        return json.loads(said), known.report_of(tools, profile, "function", "--include-warm-up")
    finally:
        tools.forget(out)


def judge(interval, truth):
    """(error, half width, inside), in ns; None where the interval has no limits."""
    if interval["ci_low_ns"] is None or interval["ci_high_ns"] is None:
        return None
    return (interval["mean_ns"] - truth, (interval["ci_high_ns"] - interval["ci_low_ns"]) / 2,
            interval["ci_low_ns"] <= truth <= interval["ci_high_ns"])


class Tally:
    def __init__(self):
        self.rows = {} # (site, state): a list of {"truth", "own", "law"}
        self.sums = [] # |on CPU + runnable + asleep - elapsed mean|, ns
        self.switched = [] # calls that were switched: found less told by getrusage
        self.cpu = [] # CPU over rows and gaps / getrusage's
        self.unknown = 0 # sites without states

    def add(self, said, report):
        for name, truth in said["sites"].items():
            self.add_site(name, known.site(report, name), truth)
        spent = report["totals"]["threads_s"]
        if spent["cpu_in_calls"] is not None:
            self.cpu.append((spent["cpu_in_calls"] + spent["cpu_outside"]) / said["cpu_s"])

    def add_site(self, name, site, truth):
        states = site["states"]
        if not states:
            self.unknown += 1
            return
        self.sums.append(abs(sum(states[s]["mean_ns"] for s in STATES) - site["mean_ns"]))
        self.switched.append(states["switched_calls"] - truth["switched"])
        for state in STATES:
            if truth[f"{state}_ns"] is not None:
                self.add_state(name, state, states, truth)

    def add_state(self, name, state, states, truth):
        interval = states[state]
        own, law = truth[f"{state}_ns"], truth["design"][f"{state}_ns"]
        self.rows.setdefault((name, state), []).append(
            {"truth": own, "own": judge(interval, own), "law": None if law is None else judge(interval, law),
             "warned": bool(states["doubts"])})


def covered(rows, kind):
    judged = [r[kind] for r in rows if r[kind]]
    return known.share(sum(inside for _, _, inside in judged), len(judged))


def covered_or_warned(rows):
    judged = [r for r in rows if r["own"]]
    return known.share(sum(r["own"][2] or r["warned"] for r in judged), len(judged))


def print_tally(title, tally):
    measure.header(title, "site", "state", "truth, ns", "found - truth, ns", "half width, ns",
                   "the run's own mean inside", "that, or a warning", "the law's mean inside", "no limits")
    for (name, state), rows in tally.rows.items():
        judged = [r["own"] for r in rows if r["own"]]
        measure.row(name, state, measure.spread([r["truth"] for r in rows], "{:.0f}"),
                    measure.spread([e for e, _, _ in judged], "{:+.1f}"),
                    measure.spread([h for _, h, _ in judged], "{:.1f}"), covered(rows, "own"), covered_or_warned(rows),
                    covered(rows, "law"), len(rows) - len(judged))
    every = [r for rows in tally.rows.values() for r in rows]
    measure.row("all", "", "", "", "", covered(every, "own"), covered_or_warned(every),
                covered(every, "law"), "")
    print(f"\nstates add up to the elapsed mean within {max(tally.sums, default=float('nan')):.3g} ns; "
          f"switched calls found less those of getrusage, a site: {measure.spread(tally.switched, '{:+.0f}')}; "
          f"CPU time over rows and gaps / getrusage's: {measure.spread(tally.cpu, '{:.4f}')}; "
          f"sites without states: {tally.unknown}")


def bench(tools, runs, scale):
    tallies = {name: Tally() for name, _ in VARIANTS}
    said, steal = None, measure.Steal()
    for _ in range(runs):
        for name, options in VARIANTS:
            said, report = one(tools, options, max(20, int(CALLS * scale)), random.getrandbits(48))
            tallies[name].add(said, report)
    for name, tally in tallies.items():
        print_tally(f"Where a call's time went, {name}", tally)
    print(f"\n{runs} runs each; the host stole {steal.percent():.1f} % of the CPUs' time; two readings of the program's "
          f"own took {said['readings_ns']} ns besides their CPU time")
    if not said["real_time"]:
        print("real-time priority is not allowed here: nobody says how long `rival` waits for a CPU")
    if not said["run_delay"]:
        print("the kernel does not say how long a thread waits for a CPU: runnable is 0 in the truth")

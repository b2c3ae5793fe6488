# SPDX-License-Identifier: GPL-3.0-or-later
"""Predictions beside what was realised: tables. A prediction is an interval of percent of throughput; the truth it is
to hold is the mean over all rounds with the same rivals, whose own error stands beside it."""
import math
import statistics

import laws
import realised
import runs

KEY = "brings_{}_percent"


def said_of(run, site):
    """The site as a run reports it; None: it does not, or cannot tell."""
    for s in run.get("sites") or ():
        if s["symbol"] == f"work_{site}":
            return s
    return None


def prediction(s, percent):
    p = (s or {}).get(KEY.format(percent)) or {}
    return p if None not in (p.get("percent"), p.get("ci_low"), p.get("ci_high")) else None


def middle(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else math.nan


def hidden(program, rivals, site):
    """By algebra it brings nothing: less than 0.05 % for 30 %. Only where every thread has a CPU: elsewhere all CPU time
    is in the way of other threads."""
    if rivals != "none":
        return False
    shape, *arguments = runs.PROGRAMS[program]
    return abs(laws.gain(shape, arguments, site, 30)) < 0.05


def cells(kept):
    """(program, rivals, site, percent, runs, realised, its error) of all that there is."""
    for program in runs.PROGRAMS:
        for rivals in runs.RIVALS:
            of = kept["causal"].of(program=program, rivals=rivals)
            for site in runs.sites(program) if of else ():
                for percent in runs.FASTER:
                    truth, half = realised.gain(kept["realised"], program, rivals, f"{site}{percent}")
                    yield program, rivals, site, percent, of, truth, half


def holds(p, truth, half):
    """(within the interval; not contradicted, as a bound: below an upper one, above a lower one; within the interval and
    the truth's own, the half widths added as independent errors are)."""
    above, below = truth <= p["ci_high"], truth >= p["ci_low"]
    side = p["ci_high"] - p["percent"] if truth > p["percent"] else p["percent"] - p["ci_low"]
    agrees = abs(truth - p["percent"]) <= math.hypot(side, 0 if math.isnan(half) else half)
    return above and below, bool((p.get("at_most") or below) and (p.get("at_least") or above)), agrees


def has_effect(site, p):
    """Is it reported to have one: not 0 by its q, nor by the interval of what it would bring?"""
    return bool(p and site.get("q") is not None and site["q"] <= 0.05 and not p["ci_low"] <= 0 <= p["ci_high"])


def share(hits, n):
    low, high = runs.wilson(hits, n)
    return f"{hits} = {100 * hits / max(1, n):.1f} % ({low:.1f} to {high:.1f})"


def print_cells(kept):
    total = {}
    print(f"{'program':13}{'rivals':7}{'site':5}{'off':>4}{'runs':>5}{'told':>5}  {'realised, %':>15}{'algebra':>9}"
          f"{'predicted':>11}{'scatter':>8}{'half width':>11}{'holds':>7}{'as a bound':>11}{'agrees':>7}{'at most':>8}{'effect':>7}")
    for program, rivals, site, percent, of, truth, half in cells(kept):
        shape, *arguments = runs.PROGRAMS[program]
        said = [said_of(r, site) for r in of]
        all_told = [prediction(s, percent) for s in said]
        got = [p for p in all_told if p]
        within, bounded, agrees = (sum(h) for h in zip((0, 0, 0), *(holds(p, truth, half) for p in got)))
        reported = sum(has_effect(s, p) for s, p in zip(said, all_told))
        values = [p["percent"] for p in got]
        scatter = statistics.stdev(values) if len(values) > 1 else math.nan
        width = middle([(p["ci_high"] - p["ci_low"]) / 2 for p in got])
        print(f"{program:13}{rivals:7}{site:5}{percent:3}%{len(of):5}{len(got):5}  {truth:8.2f} ±{half:5.2f}"
              f"{laws.gain(shape, arguments, site, percent):9.2f}{middle(values):11.2f}{scatter:8.2f}{width:11.2f}"
              f"{within:7}{bounded:11}{agrees:7}{sum(1 for p in got if p.get('at_most')):8}{reported:7}")
        sums = total.setdefault((percent, hidden(program, rivals, site)), [0] * 6)
        for i, n in enumerate((len(of), len(got), within, bounded, agrees, reported)):
            sums[i] += n
    print()
    for (percent, nothing), (n, got, within, bounded, agrees, reported) in sorted(total.items()):
        print(f"{percent} % off, {'sites without effect' if nothing else 'sites with effect':21}: {got} of {n} told; the interval holds the "
              f"realised gain in {share(within, got)}, as a bound in {share(bounded, got)}, with the realised one's own in "
              f"{share(agrees, got)}; an effect is reported in {reported}")


def print_runs(kept):
    """By program: what the runs themselves were like."""
    print(f"\n{'program':13}{'rivals':7}{'runs':>5}{'failed':>7}{'windows':>8}{'window, ms':>11}{'slowdown, %':>12}{'most':>7}{'carried':>8}  warnings")
    for program in runs.PROGRAMS:
        for rivals in runs.RIVALS:
            of = kept["causal"].of(program=program, rivals=rivals)
            if not of:
                continue
            good = [r for r in of if "failed" not in r]
            slow = [r["slowdown_percent"] for r in good if r.get("slowdown_percent") is not None]
            codes = {}
            for r in good:
                for code in r.get("warnings", ()):
                    codes[code] = codes.get(code, 0) + 1
            print(f"{program:13}{rivals:7}{len(of):5}{len(of) - len(good):7}{middle([r['windows'] for r in good]):8.0f}"
                  f"{1e3 * middle([r['window_s'] for r in good]):11.1f}{middle(slow):12.2f}{max(slow, default=math.nan):7.2f}"
                  f"{sum(1 for r in good if (r.get('carried_p') or 1) <= 0.05):8}  "
                  + ", ".join(f"{c} {n}" for c, n in sorted(codes.items())))


def print_latency(kept):
    """Of units, where the program's own clock says how long they last (open: from the arrival, its region from the service)."""
    print(f"\n{'program':13}{'rivals':7}{'site':5}{'off':>4}  {'less time a unit, realised, %':>30}{'predicted':>11}{'half width':>11}{'holds':>7} of")
    for program, rivals, site, percent, of, _, _ in cells(kept):
        truth, half = realised.gain(kept["realised"], program, rivals, f"{site}{percent}", "unit_us")
        got = [p for p in ((said_of(r, site) or {}).get(KEY.format(percent)) for r in of)
               if p and None not in (p.get("latency_percent"), p.get("latency_ci_low"), p.get("latency_ci_high"))]
        if got:
            print(f"{program:13}{rivals:7}{site:5}{percent:3}%  {truth:22.2f} ±{half:5.2f} {middle([p['latency_percent'] for p in got]):11.2f}"
                  f"{middle([(p['latency_ci_high'] - p['latency_ci_low']) / 2 for p in got]):11.2f}"
                  f"{sum(p['latency_ci_low'] <= truth <= p['latency_ci_high'] for p in got):7} {len(got)}")


def print_coz(kept):
    """Coz gives numbers without intervals: how many runs gave one, their middle, scatter and error."""
    if not kept["coz"].lines:
        return
    print(f"\nCoz\n{'program':13}{'rivals':7}{'site':5}{'off':>4}{'runs':>5}{'experiments':>12}  {'realised, %':>11}"
          f"{'plotted in':>11}{'middle':>8}{'scatter':>8}{'error':>7}{'fitted in':>11}{'middle':>8}{'scatter':>8}{'error':>7}")
    for program in runs.PROGRAMS:
        for rivals in runs.RIVALS:
            of = [r for r in kept["coz"].of(program=program, rivals=rivals) if "failed" not in r]
            for site in runs.sites(program) if of else ():
                for percent in runs.FASTER:
                    truth, _ = realised.gain(kept["realised"], program, rivals, f"{site}{percent}")
                    line = f"{program:13}{rivals:7}{site:5}{percent:3}%{len(of):5}{middle([r['sites'][site]['experiments'] for r in of]):12.0f}  {truth:11.2f}"
                    for way in ("plotted", "fitted"):
                        got = [v for v in (r["sites"][site][f"{way}_{percent}"] for r in of) if v is not None]
                        scatter = statistics.stdev(got) if len(got) > 1 else math.nan
                        error = math.sqrt(statistics.fmean((v - truth)**2 for v in got)) if got else math.nan
                        line += f"{len(got):11}{middle(got):8.2f}{scatter:8.2f}{error:7.2f}"
                    print(line)


def table(kept):
    print_cells(kept)
    print_runs(kept)
    print_latency(kept)
    print_coz(kept)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is what `scprof run --displace` says of two mixed call sites what each costs alone?

Each round runs build/examples/two_sites three times, sending small UDP datagrams only, large TCP
segments only, and both at rates that vary apart; with receive packet steering off and on. Sender
and receiver stay on CPU 0; steering sends the receiving half to CPU 1. All in a network namespace of
its own (root), so that nothing of the machine's is changed. With --dither the mixture is two
threads whose rates are constant, measured without and with `--dither` in random order. A round's results are one line of
JSON; a table over all rounds follows. --softirq adds what the kernel's softirq tracepoints say of
each site alone, which is independent of the fluid.
"""
import argparse
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile

PORT = "7000"
INSIDE = "TWO_SITES_INSIDE"


def fail(text):
    sys.exit(f"two_sites.py: {text}")


def enter_namespace():
    """Runs this script again where the loopback device is its own."""
    if os.environ.get(INSIDE):
        subprocess.run(["mount", "-t", "sysfs", "none", "/sys"], check=True)
        subprocess.run(["mount", "-t", "tracefs", "none", "/sys/kernel/tracing"], check=False)
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        return
    if os.geteuid():
        fail("needs root, for a network namespace of its own")
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", "-m", sys.executable] + sys.argv)


def steer(mask):
    with open("/sys/class/net/lo/queues/rx-0/rps_cpus", "w") as file:
        file.write(mask)


def sites(profile, scprof):
    out = subprocess.run([scprof, "report", "--format", "json", profile], check=True,
                         stdout=subprocess.PIPE).stdout
    found = {}
    for site in json.loads(out)["sites"]:
        if site["symbol"] == "send" and site["outcome"] == "completed":
            found[site["stack"][0]["function"].replace("send_", "")] = site
    return found


def wait_for_quiet(options):
    """Until other tasks have less than --quiet of the busier CPU, for a minute at most."""
    for _ in range(40):
        if options.quiet >= 100:
            return
        out = subprocess.run([os.path.join(options.build, "scprof"), "load", "--json", "1"], check=True,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        if max(c["others_s"] / c["wall_s"] for c in json.loads(out)["cpus"]) * 100 < options.quiet:
            return


FIELDS = ["calls", "mean_ns", "displacement", "displacement_spans", "displacement_windows_kept",
          "displacement_others_share", "uncharged_ns", "uncharged_ci_low_ns", "uncharged_ci_high_ns",
          "uncharged_error_ns", "uncharged_significant", "true_cost_ns", "true_cost_ci_low_ns",
          "true_cost_ci_high_ns", "true_cost_error_ns", "charged_ns", "both_ns", "both_ci_low_ns", "both_ci_high_ns",
          "both_error_ns"]


def measure(options, mode, seed, dither=None):
    program = os.path.join(options.build, "examples/two_sites")
    scprof = os.path.join(options.build, "scprof")
    wait_for_quiet(options)
    with tempfile.TemporaryDirectory() as directory:
        profile = os.path.join(directory, "p.scp")
        subprocess.run([scprof, "run", "--displace", *([dither] if dither else []), "--no-report", "-o", profile, "--", "taskset", "-c", "0",
                        program, mode, "127.0.0.1", PORT, str(options.seconds), str(options.udp_rate),
                        str(options.tcp_rate), str(seed)], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        found = sites(profile, scprof)
    return {name: {f: site[f] for f in FIELDS} for name, site in found.items()
            if mode in ("both", "threads", name)}


def softirq(options, mode, seed):
    """Seconds in NET_RX softirqs on CPU 1 per call, by tracepoints; None without perf."""
    program = os.path.join(options.build, "examples/two_sites")
    with tempfile.TemporaryDirectory() as directory:
        data = os.path.join(directory, "perf.data")
        out = subprocess.run(["perf", "record", "-q", "-C", "1", "-m", "4096", "-e", "irq:softirq_entry,irq:softirq_exit",
                              "-o", data, "--", "taskset", "-c", "0", program, mode, "127.0.0.1", PORT, "2",
                              str(options.udp_rate), str(options.tcp_rate), str(seed)], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        if out.returncode:
            return None
        text = subprocess.run(["perf", "script", "-i", data, "-F", "time,event,trace", "--ns"], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    calls = int(re.search(mode + r" (\d+)", out.stdout).group(1))
    total, begun = 0.0, None
    for line in text.splitlines():
        found = re.match(r"\s*([\d.]+):\s+irq:softirq_(entry|exit):.*NET_RX", line)
        if not found:
            continue
        if found.group(2) == "entry":
            begun = float(found.group(1))
        elif begun is not None:
            total += float(found.group(1)) - begun
            begun = None
    return total * 1e9 / calls


def known(site):
    return site is not None and site["displacement"] == "known" and site["both_ns"] is not None


def pooled(alone, cost):
    """Mean of the single runs, each as heavy as its error makes it, and the mean's error: the larger of what
    the runs' own errors say and what they differ by."""
    weights = [1 / s[cost + "_error_ns"] ** 2 for s in alone]
    mean = sum(w * s[cost + "_ns"] for w, s in zip(weights, alone)) / sum(weights)
    excess = sum(w * (s[cost + "_ns"] - mean) ** 2 for w, s in zip(weights, alone)) / max(1, len(alone) - 1)
    return mean, math.sqrt(max(1, excess) / sum(weights))


def summary(rounds, steering, name, cost, kind="both"):
    """The mixed runs' intervals against what all runs alone say together."""
    of = [r for r in rounds if r["steering"] == steering]
    alone = [r["alone"][name] for r in of if known(r["alone"].get(name))]
    mixed = [r[kind][name] for r in of if known(r[kind].get(name))]
    name = name if kind == "both" else f"{name}, {kind}"
    counts = f"{len(alone)} and {len(mixed)} of {len(of)}"
    if not alone or not mixed:
        return f"| {steering} | {name} | {cost} | {counts} | | | | |"
    truth, error = pooled(alone, cost)
    mean, mean_error = pooled(mixed, cost)
    halves = [(s[cost + "_ci_high_ns"] - s[cost + "_ci_low_ns"]) / 2 for s in mixed]
    agree = sum(abs(s[cost + "_ns"] - truth) <= math.hypot(half, 2 * error) for s, half in zip(mixed, halves))
    zero = sum(s[cost + "_ci_low_ns"] <= 0 <= s[cost + "_ci_high_ns"] for s in mixed)
    return (f"| {steering} | {name} | {cost} | {counts} | {truth:.0f} ± {error:.0f} | {mean:.0f} ± {mean_error:.0f} | "
            f"{agree} of {len(mixed)} | {zero} of {len(mixed)} |")


def print_table(rounds):
    kinds = [k for k in ("both", "plain", "dithered") if rounds and k in rounds[0]]
    print("| steering | site | cost | runs alone and mixed with a number | alone, ns ± standard error | mixed | "
          "mixed intervals that hold the cost alone | that hold 0 |")
    print("|---|---|---|---|---|---|---|---|")
    for steering in ("off", "on"):
        for name in ("udp", "tcp"):
            for cost in ("uncharged", "both", "true_cost"):
                for kind in kinds:
                    print(summary(rounds, steering, name, cost, kind))
    of = [s for r in rounds for k in kinds + ["alone"] for s in r[k].values()]
    if of:
        kept = [s["displacement_windows_kept"] for s in of]
        busy = [s["displacement_others_share"] for s in of]
        print(f"\nwindows kept: median {statistics.median(kept):.2f}, from {min(kept):.2f} to {max(kept):.2f}; others' share "
              f"of the kept windows of the busier CPU: median {statistics.median(busy):.2f}")
    for name in ("udp", "tcp"):
        traced = [r["softirq"][name] for r in rounds if r.get("softirq", {}).get(name) is not None]
        if traced:
            print(f"softirq tracepoints, steering on, {name} alone: median {statistics.median(traced):.0f} ns a call "
                  f"({len(traced)} runs of 2 s, {min(traced):.0f} to {max(traced):.0f})")


def one_round(options, number, steering):
    steer("2" if steering == "on" else "0")
    result = {"round": number, "steering": steering, "alone": {}}
    for mode in ("udp", "tcp"):
        result["alone"].update(measure(options, mode, 100 * number))
    if options.dither:
        kinds = [("plain", None), ("dithered", f"--dither={options.dither}")]
        random.shuffle(kinds)
        for kind, dither in kinds:
            result[kind] = measure(options, "threads", 100 * number + 1, dither)
    else:
        result["both"] = measure(options, "both", 100 * number + 1)
    if options.softirq and steering == "on":
        result["softirq"] = {mode: softirq(options, mode, number) for mode in ("udp", "tcp")}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--udp-rate", type=int, default=20000, help="calls a second, in the mean")
    parser.add_argument("--tcp-rate", type=int, default=10000)
    parser.add_argument("--quiet", type=float, default=100, metavar="PERCENT",
                        help="before each run wait, a minute at most, until other tasks have less of each CPU")
    parser.add_argument("--dither", metavar="P", help="two threads with constant rates; P of the throughput: 5%%")
    parser.add_argument("--softirq", action="store_true", help="trace softirqs, too (perf)")
    parser.add_argument("--table", metavar="FILE", help="only print the table of earlier rounds")
    options = parser.parse_args()
    if options.table:
        with open(options.table) as file:
            print_table([json.loads(line) for line in file if line.startswith("{")])
        return
    if os.cpu_count() < 2:
        fail("needs two CPUs")
    options.build = os.path.abspath(options.build)
    enter_namespace()
    sink = subprocess.Popen(["taskset", "-c", "0", os.path.join(options.build, "examples/two_sites"), "sink", PORT],
                            stdout=subprocess.PIPE)
    sink.stdout.readline()
    rounds = []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for number in range(1, options.rounds + 1):
            for steering in ("off", "on"):
                rounds.append(one_round(options, number, steering))
                print(json.dumps(rounds[-1]), flush=True)
    finally:
        sink.send_signal(signal.SIGKILL)
        sink.wait()
    print_table(rounds)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs, a change that removes all calls of one site, and what the causal profile predicts of it.

  tests/bench/causal/real.py --build BUILD DIR [--services NAME;...] [--realised N] [--predicted N] [--seconds 20] [--slice 1]
  tests/bench/causal/real.py --table DIR

--realised: so many slices of load for the unchanged and the changed program, both up at once, in turn at random.
--predicted: so many runs of `scprof causal` of --seconds each under the same load. What removing the site brings is
computed from its slope (time a unit per time a call) and its mean; its interval is the slope's. DIR/real.jsonl keeps
all; the same command goes on where it stopped. Nothing is asserted."""
import argparse
import json
import math
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import runs
import services


def place(service):
    """In memory, so that no disk is measured; but sqlite's is the disk."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) and service is not services.SqliteSync else "/var/tmp"
    return tempfile.mkdtemp(prefix="scprof-causal-", dir=memory)


def realise(kept, name, build, slices, seconds):
    service, work = services.SERVICES[name], place(services.SERVICES[name])
    os.chmod(work, 0o755)
    up = []
    try:
        up = [service(f"{work}/{changed}", build, bool(changed)) for changed in (0, 1)]
        for target in up:
            target.load(0.5)
        for number in range(len(kept.of(service=name, kind="realised")), slices):
            rates = [0, 0]
            for changed in random.sample((0, 1), 2):
                rates[changed] = up[changed].load(seconds)
            if not min(rates) > 0: # starved by others: wrk saw no answer at all
                runs.say(f"{name}: nothing was answered in a slice")
                continue
            kept.add(service=name, kind="realised", round=number, before=rates[0], after=rates[1])
    finally:
        for target in up:
            target.close()
        shutil.rmtree(work, ignore_errors=True)


def predict(kept, name, build, times, seconds):
    service = services.SERVICES[name]
    for number in range(len(kept.of(service=name, kind="predicted")), times):
        work = place(service)
        os.chmod(work, 0o755)
        try:
            said = one_prediction(service, work, build, seconds)
            kept.add(service=name, kind="predicted", round=number, **said)
        except (runs.Failure, OSError, ValueError) as e:
            runs.say(f"{name}: {e}")
            kept.add(service=name, kind="predicted", round=number, failed=str(e))
        finally:
            shutil.rmtree(work, ignore_errors=True)


def one_prediction(service, work, build, seconds):
    out = f"{work}/causal.json"
    wrap = [f"{build}/scprof", "causal", "--progress", service.progress, "--at", service.site, "-g", service.groups,
            *(["-s", service.symbols] if hasattr(service, "symbols") else []), "--for", f"{seconds:g}s", "--end", "--json",
            "-o", out, "--"]
    target = service(f"{work}/run", build, False, wrap)
    try:
        ends = threading.Thread(target=drive, args=(target, seconds))
        ends.start()
        ends.join(seconds + 90)
        until = time.monotonic() + 20
        while target.process and target.process.poll() is None and time.monotonic() < until:
            time.sleep(0.1)
    finally:
        if target.process:
            services.interrupt(target.process)
            time.sleep(0.5)
        target.close()
    if not os.path.exists(out):
        raise runs.Failure("no report")
    with open(out) as f:
        said = json.load(f)
    keep = ("symbol", "label", "slope", "ci_low", "ci_high", "q", "mean_ns", "mean_ci_low_ns", "mean_ci_high_ns", "basis", "calls_per_unit",
            "shape", "at_most", "at_least", "note", "brings_10_percent", "brings_30_percent")
    return {"rate_per_s": said["progress"]["rate_per_s"], "windows": said["windows"], "slowdown_percent": said["slowdown_percent"],
            "warnings": [w["code"] for w in said["warnings"]], "sites": [{k: s.get(k) for k in keep} for s in said["sites"]]}


def drive(target, seconds):
    """Load until the tool has ended the program, a pilot of a second and more included."""
    until = time.monotonic() + seconds + 15
    while time.monotonic() < until and (target.process is None or target.process.poll() is None):
        try:
            target.load(min(5, until - time.monotonic()) if target.process else until - time.monotonic())
        except (runs.Failure, AttributeError, OSError):
            return


def removal(run):
    """Percent of throughput, and its interval, were the sites not there: (value, low, high), by the sum of their slopes
    x means; the half widths add up."""
    if "failed" in run or not run["rate_per_s"]:
        return None
    told = [s for s in run["sites"] if None not in (s["slope"], s["ci_low"], s["ci_high"], s["mean_ns"])]
    if not told:
        return None
    saved = [sum(s[k] * s["mean_ns"] * 1e-9 for s in told) * run["rate_per_s"] for k in ("slope", "ci_low", "ci_high")]
    return tuple(100 * (1 / (1 - s) - 1) if s < 1 else math.inf for s in saved)


def table(kept):
    print(f"{'service':27}{'slices':>7}{'units/s':>9}{'realised, %':>17}   {'runs':>4}{'predicted, %: middle':>22}{'of the intervals':>24}{'holds':>6}{'agrees':>7}")
    for name in services.SERVICES:
        of = kept.of(service=name, kind="realised")
        logs = [math.log(x["after"] / x["before"]) for x in of]
        mean, half = runs.mean_interval(logs)
        rate, _ = runs.mean_interval([x["before"] for x in of])
        truth = 100 * math.expm1(mean)
        said = kept.of(service=name, kind="predicted")
        got = sorted(r for r in map(removal, said) if r)
        middle = got[len(got) // 2] if got else (math.nan,) * 3
        error = 100 * math.exp(mean) * half
        held = sum(low <= truth <= high for _, low, high in got)
        agrees = sum(abs(truth - at) <= math.hypot(high - at if truth > at else at - low, error) for at, low, high in got)
        if of or said:
            print(f"{name:27}{len(of):7}{rate:9.0f}{truth:10.2f} ±{error:5.2f}   {len(said):4}{middle[0]:22.2f}"
                  f"{f'[{middle[1]:.2f}, {middle[2]:.2f}]':>24}{held:6}{agrees:7}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    parser.add_argument("--build", default="build")
    parser.add_argument("--services", default=";".join(services.SERVICES))
    parser.add_argument("--realised", type=int, default=0)
    parser.add_argument("--predicted", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--slice", type=float, default=1)
    parser.add_argument("--table", action="store_true", help="only print what is there")
    a = parser.parse_args()
    runs.end_in_order()
    kept = runs.Kept(a.folder, "real.jsonl")
    build = os.path.realpath(a.build)
    for name in () if a.table else a.services.split(";"):
        try:
            realise(kept, name, build, a.realised, a.slice)
            predict(kept, name, build, a.predicted, a.seconds)
        except runs.Failure as e:
            runs.say(f"{name}: {e}")
    table(kept)


if __name__ == "__main__":
    main()

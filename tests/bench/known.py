# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts share that compare a profile with a known truth: runs of
calibrated_call under scprof, load on all CPUs, shares with their interval."""
import contextlib
import json
import math
import os
import subprocess
import sys

import measure

DEPTH = "10" # frames above the calls


MOST_STOLEN = 1 # % of the CPUs' time, in a run


def first_in_line():
    """To the front of the queue for a CPU, where allowed: what others do then takes no time
    out of calls (runs of under a second are not held up for it by the kernel)."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass


def plain(tools, *arguments):
    """What calibrated_call prints when nobody watches."""
    return json.loads(run([tools.program("bench/calibrated_call"), DEPTH, *map(str, arguments)], first_in_line))


def watched(tools, options, command, quiet=False, front=None, by="function"):
    """(standard output, the report as JSON, {function: ns}) of a run under scprof. The
    last is the median of the means of a site's batches, where asked for."""
    out = tools.fresh()
    profile = f"{out}/p.scp"
    line = [tools.program("scprof"), "run", *options.split(), "--no-report", "-o", profile, "--", *command]
    try:
        text = run(line, front)
        report = report_of(tools, profile, by)
        batches = run([tools.program("bench/quiet_mean"), profile]) if quiet else ""
    finally:
        tools.forget(out)
    fields = [line.split() for line in batches.splitlines()]
    return text, report, {name: float(ns) for name, _, _, ns in fields}


def report_of(tools, profile, by="function", *options):
    return json.loads(run([tools.program("scprof"), "report", "--format", "json", "--by", by, *options, profile]))


def run(line, front=None, timeout=60):
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, start_new_session=True, preexec_fn=front)
    try:
        text, error = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise measure.Failure(f"not done in {timeout} s") from None
    finally:
        measure.stop_group(process)
    if process.returncode != 0:
        raise measure.Failure(f"{os.path.basename(line[0])}: status {process.returncode}: {error.strip()[-200:]}")
    return text


def calibrated(tools, options, *arguments, quiet=False, front=first_in_line):
    """The same of a run of calibrated_call, its own word as JSON first."""
    command = [tools.program("bench/calibrated_call"), DEPTH, *map(str, arguments)]
    text, report, batches = watched(tools, options, command, quiet, front)
    return json.loads(text), report, batches


def site(report, symbol):
    return next(s for s in report["sites"] if s["symbol"] == symbol and s["outcome"] == "completed")


def step_ns(tools):
    """Of the calibrated functions, from two lengths: what a call adds drops out."""
    long, short = (measure.median([plain(tools, "mean", steps, 41 * 4000)["direct"]["median"] for _ in range(5)])
                   for steps in (1000, 200))
    return (long - short) / 800


def truth_ns(said):
    """Of a call by its address, less a call of the empty function in the same loop."""
    return said["direct"]["median"] - said["empty"]["median"]


@contextlib.contextmanager
def load(on, loops=None, front=None):
    """A busy loop for each CPU, or so many, where `on`."""
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=front)
                for _ in range((loops or os.cpu_count()) if on else 0)]
    try:
        yield
    finally:
        for process in spinners:
            process.kill()
            process.wait()


def at_most(hits, of, p):
    """The probability of so many successes or fewer of `of`, each with probability p."""
    terms = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1)
             + k * math.log(p) + (of - k) * math.log1p(-p) for k in range(hits + 1))
    return sum(math.exp(t) for t in terms)


def clopper_pearson(hits, of, confidence=0.95):
    """Limits of a probability (Clopper and Pearson 1934), by bisection."""
    tail = (1 - confidence) / 2

    def solve(hits, value):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(hits, of, middle) > value else (low, middle)
        return (low + high) / 2
    return (0.0 if hits == 0 else solve(hits - 1, 1 - tail)), (1.0 if hits == of else solve(hits, tail))


def share(hits, of):
    """`hits` of `of` in words, with the 95 % interval of the share."""
    if not of:
        return "-"
    low, high = clopper_pearson(hits, of)
    return f"{hits} of {of} = {100 * hits / of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"

# SPDX-License-Identifier: GPL-3.0-or-later
"""What trials share: programs, rivals beside them, runs that are kept as lines of JSON, means with intervals."""
import contextlib
import json
import math
import os
import signal
import statistics
import subprocess
import sys
import time

import laws

# name: shape and its settings
PROGRAMS = {
    "serial": ("serial",),
    "pipeline": ("pipeline",),
    "balanced": ("balanced",),
    "queue": ("queue",),
    "queue of 1": ("queue", "room=1"),
    "queue of 16": ("queue", "room=16"),
    "convoy": ("convoy",),
    "fork": ("fork",),
    "fork, close": ("fork", "b=170"),
    "closed": ("closed",),
    "open": ("open",),
}
USUAL = ("serial", "pipeline", "balanced", "queue", "convoy", "fork", "closed", "open")
FASTER = (10, 30)
# Beside: a share of one CPU, in random bursts of 2 ms in the middle.
RIVALS = {"none": None, "half": ["open", "law=exponential", "a=1500", "b=500", "rate=250"], "one": ["serial"]}


class Failure(Exception):
    """A run that gave nothing; the text says why."""


def sites(program):
    return laws.sites(PROGRAMS[program][0])


def variants(program):
    """Settings by name: the unchanged program, and each site faster."""
    made = {"base": ()}
    for site in sites(program):
        for percent in FASTER:
            made[f"{site}{percent}"] = (f"faster_{site}={percent}",)
    return made


def stop(process):
    """It, and what it started in its session."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sig)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
            if sig == signal.SIGKILL:
                return


def output(command, timeout, **more):
    """Standard output; the command's whole session is ended when it is late."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True, **more)
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        stop(process)
        raise Failure(f"not done in {timeout:.0f} s") from None
    except BaseException:
        stop(process)
        raise
    if process.returncode:
        raise Failure(f"status {process.returncode}: {err.strip()[-400:]}")
    return out


class Programs:
    """build/bench/algebra, and what it is to be run with."""

    def __init__(self, build, steps=None, first=False):
        """`first`: rivals, too, go before all others (SCHED_FIFO), where the machine has other work. Niceness does not do
        that: sessions share the CPUs as groups, and a nice value counts within its own."""
        self.build, self.first = os.path.realpath(build), first
        self.path = f"{self.build}/bench/algebra"
        self.steps = steps or float(output([self.path, "steps"], 60))

    def command(self, program, seconds, settings=(), path=None):
        return [path or self.path, *PROGRAMS[program], *settings, f"seconds={seconds:g}", f"steps={self.steps:g}"]

    def before(self, priority=1):
        return ["chrt", "-f", str(priority)] if self.first else []

    def run(self, program, seconds, settings=()):
        return json.loads(output([*self.before(), *self.command(program, seconds, settings)], seconds + 30))

    @contextlib.contextmanager
    def rivals(self, kind):
        if not RIVALS[kind]:
            yield
            return
        # Ended with this process, however that ends: one left over would be a rival of all later runs.
        beside = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *self.before(), self.path, *RIVALS[kind], "seconds=3600", f"steps={self.steps:g}"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, start_new_session=True)
        try:
            yield
        finally:
            stop(beside)


class Kept:
    """Runs, one a line, in a file that grows: what was interrupted goes on."""

    def __init__(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, name)
        self.lines = []
        if os.path.exists(self.path):
            with open(self.path) as f:
                self.lines = [json.loads(line) for line in f if line.endswith("\n")]

    def add(self, **fields):
        fields["at"] = round(time.time(), 1)
        fields["load"] = os.getloadavg()[0]
        self.lines.append(fields)
        with open(self.path, "a") as f:
            f.write(json.dumps(fields) + "\n")

    def of(self, **fields):
        return [x for x in self.lines if all(x.get(k) == v for k, v in fields.items())]


def steps_of(folder, build):
    """Calibrated once a folder, so that all its runs do the same work."""
    path = os.path.join(folder, "steps")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(path):
        with open(path, "w") as f:
            f.write(f"{Programs(build).steps}\n")
    with open(path) as f:
        return float(f.read())


T95 = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09, 2.09)


def mean_interval(values):
    """Mean and half of its 95 % interval (Student's t)."""
    n = len(values)
    if n < 2:
        return (values[0] if n else math.nan), math.nan
    t = T95[n - 2] if n - 2 < len(T95) else 1.96 + 2.5 / (n - 1)
    return statistics.fmean(values), t * statistics.stdev(values) / math.sqrt(n)


def wilson(hits, n):
    """95 % limits of a share, in percent (Wilson 1927)."""
    if not n:
        return math.nan, math.nan
    z2 = 1.96**2
    middle, half = (hits + z2 / 2) / (n + z2), 1.96 * math.sqrt(hits * (n - hits) / n + z2 / 4) / (n + z2)
    return 100 * max(0, middle - half), 100 * min(1, middle + half)


def end_in_order():
    """`finally` also when this process is asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def refuse_left_over(path):
    """Another trial's programs beside would be in every figure."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            other = os.readlink(f"/proc/{pid}/exe")
            if os.path.samefile(other, path):
                sys.exit(f"process {pid} is {other} already: end it first")
            if os.path.basename(other) == os.path.basename(path):
                say(f"process {pid} runs beside: {other}")


def say(*what):
    print(*what, file=sys.stderr, flush=True)

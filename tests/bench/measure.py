# SPDX-License-Identifier: GPL-3.0-or-later
"""What all benchmarks share: interleaved variants, medians, ratios, steal.

Variants are run in turn, round after round, starting with another one each
round: drift of the machine then falls on all alike. A ratio is taken within
a round and its median printed, with the lowest and highest.
"""
import os
import shutil
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from typing import NamedTuple


class Steal:
    """Share of the CPUs' time that the host took since this object was made."""

    def __init__(self):
        self.before = self.read()

    @staticmethod
    def read():
        with open("/proc/stat") as f:
            return [int(x) for x in f.readline().split()[1:9]]

    def percent(self):
        spent = [b - a for a, b in zip(self.before, self.read())]
        return 100 * spent[7] / max(1, sum(spent))


class Failure(Exception):
    """A variant that cannot be measured here; the text says why."""


def interleave(variants, rounds):
    """variants: {name: function returning a number}. Returns {name: [number
    or None a round]} and {name: reason} for those that failed."""
    names = list(variants)
    results = {name: [] for name in names}
    failed = {}
    for i in range(rounds):
        for name in names[i % len(names):] + names[:i % len(names)]:
            if name in failed:
                continue
            try:
                results[name].append(variants[name]())
            except Failure as reason:
                failed[name] = str(reason)
    return results, failed


def median(values):
    return statistics.median(values) if values else float("nan")


def ratios(values, base):
    """Within rounds; variants rotate, but each round has one of each."""
    return [v / b for v, b in zip(values, base) if b]


def row(*cells):
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def header(title, *cells):
    print(f"\n### {title}\n")
    row(*cells)
    row(*["---"] * len(cells))


def spread(values, form="{:.2f}"):
    if not values:
        return "-"
    return f"{form.format(median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def await_port(port, process=None):
    """Whether a server on 127.0.0.1 answers there, at last; not after its process has ended."""
    for _ in range(200):
        if process and process.poll() is not None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return True
        except OSError:
            time.sleep(0.05)
    return False


def stop_group(process):
    """End a process and all that it started in its session."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sig)
        except ProcessLookupError:
            pass
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            continue
    process.wait()


class Spent(NamedTuple):
    cpu: float   # seconds, user and system, of the process and of what it waited for
    wall: float  # seconds
    ended: float # time.monotonic() when it had ended
    text: str    # its standard output


def spend(line, out, environment=None, stdin=None, timeout=600):
    """Run a command line to its end, in the folder `out`. CPU time, other than elapsed time, does not
    depend on what else runs on the machine, but for its caches."""
    if not shutil.which(line[0]):
        raise Failure(f"no {line[0]} here")
    with open(stdin or os.devnull, "rb") as source, tempfile.TemporaryFile(dir=out) as sink:
        began = time.monotonic()
        process = subprocess.Popen(line, cwd=out, env=environment, stdin=source, stdout=sink, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        late = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
        late.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            ended = time.monotonic()
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            late.cancel()
            stop_group(process)
        if process.returncode != 0:
            raise Failure(f"status {process.returncode}")
        sink.seek(0)
        return Spent(usage.ru_utime + usage.ru_stime, ended - began, ended, sink.read().decode(errors="replace"))


class Tools:
    """How to run a command plainly, under scprof, and under the peers. Output
    goes to a folder in memory where there is one, for all alike."""

    def __init__(self, build):
        self.build = os.path.realpath(build)
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.work = tempfile.mkdtemp(prefix="scprof-bench-", dir=memory)
        self.count = 0

    def close(self):
        shutil.rmtree(self.work, ignore_errors=True)

    def fresh(self):
        self.count += 1
        path = f"{self.work}/{self.count}"
        os.mkdir(path)
        return path

    def program(self, name):
        return f"{self.build}/{name}"

    def wrap(self, tool, command):
        """The command line of `command` under `tool`, and where it writes."""
        out = self.fresh()
        name, _, option = tool.partition(" ")
        lines = {
            "plain": [],
            "scprof": [self.program("scprof"), "run", *option.split(), "--no-report", "-o", f"{out}/p.scp", "--"],
            "strace": ["strace", "-f", "-c", "-o", f"{out}/o"],
            "perf": ["perf", "trace", "-s", "-o", f"{out}/o", "--"],
            "uftrace": ["uftrace", "record", "--force", "--no-pager", "-d", f"{out}/d"],
            "ltrace": ["ltrace", "-f", "-c", "-o", f"{out}/o"],
        }
        return lines[name] + command, out

    def library(self, out, **settings):
        """The environment of a program with the library alone, which writes into `out`."""
        names = {f"SCPROF_{name.upper()}": value for name, value in settings.items()}
        return dict(os.environ, LD_PRELOAD=self.program("libscprof.so"), SCPROF_OUT=out, **names)

    @staticmethod
    def forget(out):
        shutil.rmtree(out, ignore_errors=True)

    def output(self, tool, command, timeout=60):
        """Standard output of `command` under `tool`."""
        line, out = self.wrap(tool, command)
        return self.output_of(line, out, timeout)

    def output_of(self, line, out, timeout=60):
        """Standard output of a command line; `out` is its working folder, removed afterwards."""
        if not shutil.which(line[0]):
            raise Failure(f"no {line[0]} here")
        process = subprocess.Popen(line, cwd=out, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        try:
            text, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise Failure(f"not done in {timeout} s") from None
        finally:
            stop_group(process)
            self.forget(out)
        if process.returncode != 0:
            raise Failure(f"status {process.returncode}")
        return text

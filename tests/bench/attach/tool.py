# SPDX-License-Identifier: GPL-3.0-or-later
"""scprof as it is called here, and what it says of an attach.

The tool is $SCPROF, or build/scprof. A call that has not ended after LIMIT seconds hangs."""
import json
import os
import signal
import subprocess
import time
from typing import NamedTuple

LIMIT = 120
UNLEFT = "puts that right" # is said of a process that the tool could not leave, whatever its status


class Outcome(NamedTuple):
    status: int          # of the tool; -9 and the like: by signal; None: it hung and was ended
    text: str            # what it printed on standard error: the last line; all if it failed
    unleft: str          # why it could not leave a process; "": it could
    held_ms: list        # how long the targets' threads were held up, as the report says; may be empty
    slots: dict          # of the last process


def path(given=None):
    root = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
    return os.path.realpath(given or os.environ.get("SCPROF") or f"{root}/build/scprof")


class Tool:
    def __init__(self, program, work):
        self.program, self.work, self.calls, self.pids = path(program), work, 0, set()
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("SCPROF_") and k != "LD_PRELOAD"}
        self.environment["TMPDIR"] = work

    def start(self, *words):
        """In a session of its own, so that all of it can be ended."""
        with open(f"{self.work}/tool.err", "wb") as err:
            process = subprocess.Popen([self.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=err, cwd=self.work, env=self.environment, start_new_session=True)
        self.pids.add(process.pid)
        return process

    def line(self, pids, seconds, *more):
        self.calls += 1
        out = f"{self.work}/attached.{self.calls}.json"
        line = ["attach", *map(str, pids), *more, "--by", "function", "-o", out]
        return line + (["--for", f"{seconds}s"] if seconds else []), out

    def attach(self, *arguments, **named):
        """Once more where it was so late, as on a busy machine, that it gave up, left all as it was, and said so."""
        for _ in range(8):
            outcome = self.attach_once(*arguments, **named)
            if not outcome.status or not self.was_late():
                break
        return outcome

    def was_late(self):
        """For one of the processes: what it says of the others comes before and after that."""
        return any(line.endswith("; try again") for line in self.said().splitlines())

    def said(self):
        with open(f"{self.work}/tool.err", errors="replace") as f:
            return f.read()

    def attach_for_now(self, pid):
        """The tool, which records until it gets SIGINT, or has ended; once more where it was late."""
        for _ in range(8):
            line, _ = self.line([pid], None)
            process = self.start(*line)
            self.await_recording(process)
            if process.poll() is None or not self.was_late():
                break
        return process

    def attach_once(self, pids, seconds, *more, interrupt_after=None):
        """One cycle; `interrupt_after`: not for `seconds`, but until SIGINT, sent so long after it says that it records."""
        line, out = self.line(pids, None if interrupt_after else seconds, *more)
        process = self.start(*line)
        if interrupt_after:
            self.await_recording(process)
            try:
                process.wait(timeout=interrupt_after)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGINT)
        outcome = self.end(process, out, (seconds or 0) + LIMIT)
        early = interrupt_after and outcome.status == -signal.SIGINT # before it began: signals end it as any program
        return outcome._replace(status=0) if early else outcome

    def await_recording(self, process):
        """Earlier, before it has touched anything, SIGINT simply ends it."""
        until = time.monotonic() + LIMIT
        while process.poll() is None and time.monotonic() < until:
            if "recording process" in self.said():
                return
            time.sleep(0.01)

    def detach(self, *pids):
        return self.end(self.start("detach", *map(str, pids)), None, LIMIT)

    def end(self, process, out, limit):
        status = None
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        lines = self.said().strip().splitlines()
        held, slots = read_report(out) if out else ([], {})
        for left in os.listdir(self.work):
            if left.startswith("attached.") or left.endswith(".scp"):
                os.unlink(f"{self.work}/{left}")
        unleft = next((i for i, line in enumerate(lines) if UNLEFT in line), 0)
        reason = "; ".join(lines[max(0, unleft - 1):unleft + 1]) if unleft else ""
        return Outcome(status, " / ".join(lines)[-600:] if status else "".join(lines[-1:]), reason, held, slots)


def attached(report):
    """Objects with "stopped_ms", wherever in the report they stand."""
    if isinstance(report, dict):
        if "stopped_ms" in report:
            yield report
        for value in report.values():
            yield from attached(value)
    elif isinstance(report, list):
        for value in report:
            yield from attached(value)


def read_report(out):
    try:
        with open(out) as f:
            found = list(attached(json.load(f)))
    except (OSError, ValueError):
        return [], {}
    slots = found[-1].get("slots") if found else None
    return [float(a["stopped_ms"]) for a in found], slots if isinstance(slots, dict) else {}

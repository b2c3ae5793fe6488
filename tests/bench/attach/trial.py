# SPDX-License-Identifier: GPL-3.0-or-later
"""One program under load, to which something is done again and again; and all that may go wrong with it."""
import os
import shutil
import statistics
import tempfile
import time

import process
import targets.ours
import targets.stores
import targets.web
from targets import HANGS_AFTER, Missing
from tool import LIMIT, Tool

PROGRAMS = {t.name: t for room in (targets.stores, targets.web, targets.ours) for t in room.PROGRAMS}
FIGURES = ("VmRSS", "VmSize", "fds", "threads")
GROWTH_FROM = 20 # cycles: after fewer, what the load happens to hold is more than what each could have left


class Trial:
    """`faults`: one line each; the trial failed if there are any."""

    def __init__(self, name, tool, build, size=1.0, cycles=GROWTH_FROM):
        self.brief = cycles < GROWTH_FROM
        self.work = tempfile.mkdtemp(prefix="attach-trial-")
        os.chmod(self.work, 0o755)
        self.name, self.faults, self.held_ms, self.pids_seen, self.done = name, [], [], set(), 0
        self.refused, self.hung, self.gone, self.hangs = 0, 0, 0, False
        self.tool_work = f"{self.work}/tool"
        os.mkdir(self.tool_work)
        os.chmod(self.tool_work, 0o777)
        self.tool = Tool(tool, self.tool_work)
        os.mkdir(f"{self.work}/target")
        os.chmod(f"{self.work}/target", 0o755)
        self.target = PROGRAMS[name](f"{self.work}/target", os.path.realpath(build), size)
        self.target.pause = 0.005 if self.brief else 0 # a tenth of the processors is enough, where nothing is measured
        self.before = self.first = self.after = {}

    def fault(self, text):
        self.faults.append(text)

    def begin(self):
        self.target.start()
        if not self.brief:
            self.load(2) # what grows with the first load, such as pools of threads, has grown
            time.sleep(0.5)
            self.before = self.figures()
        self.load()

    def load(self, seconds=None):
        answers = self.target.tally.answers
        self.target.begin_load()
        if not self.target.await_answers(answers):
            crashed = self.target.crashed()
            raise RuntimeError(f"crashed: {crashed}" if crashed else f"{self.name} does not answer: {self.target.tally.notes[:2]}")
        if seconds:
            time.sleep(seconds)
            self.target.end_load()

    def figures(self):
        found = [process.figures(pid) for pid in self.target.measured()]
        return {name: sum(f[name] for f in found) for name in FIGURES}

    def pids(self):
        found = self.target.pids()
        self.pids_seen.update(found)
        return found

    def judge(self, outcome, pids):
        """Of a call of the tool. A process that has ended by itself is nobody's fault; the first is the
        program's own."""
        self.held_ms += outcome.held_ms
        if outcome.status is None:
            self.hung += 1
            self.fault(f"the tool hangs: {outcome.text}")
        elif outcome.status != 0 and all(process.is_there(p) for p in pids):
            self.refused += 1
            self.fault(f"the tool ended with status {outcome.status}: {outcome.text}")
        elif outcome.status != 0:
            self.gone += 1
        elif any(f"detach {p} puts" in outcome.unleft for p in pids): # children that were forked meanwhile soon end
            self.fault(f"not left: {outcome.unleft}")
        elif outcome.unleft:
            print(f"{self.name}: a child is not left: {outcome.unleft}", flush=True)

    def look(self, answers_before):
        """After each cycle: nobody is held, and the program answers. Whether to go on."""
        for pid in self.target.pids():
            held = process.held_for_good(pid)
            if held:
                self.hangs = True
                self.fault(held)
                return False
        crashed = self.target.crashed()
        if crashed:
            self.fault(f"crashed: {crashed}")
            return False
        if not self.target.await_answers(answers_before):
            crashed, self.hangs = self.target.crashed(), True
            self.fault(f"crashed: {crashed}" if crashed else "hangs: no answer any more")
            return False
        self.done += 1
        if self.done == 1:
            self.first = self.figures()
        return True

    def end(self):
        """Stops the load, asks the program for its own checks, and stops it."""
        if self.target.main is None:
            return
        alive = not self.hangs and not self.target.crashed()
        self.target.end_load(HANGS_AFTER if alive else 1)
        if not self.brief:
            time.sleep(1)
            self.after = self.figures()
        tally = self.target.tally
        if alive:
            self.faults += self.target.final_checks()
        self.faults += self.target.logged(self.target.crash_words + ("wrong:",))
        self.faults += [n for n in tally.notes if n.startswith("hangs")]
        if tally.wrong or tally.lost:
            self.faults += [f"{tally.wrong} wrong answers, {tally.lost} lost connections", *tally.notes[:5]]
        if self.eintr():
            self.faults += self.eintr()[:3]
        if alive and not self.brief:
            self.look_at_growth()
        self.target.stop()
        left = process.leftovers(self.pids_seen, self.tool_work)
        self.faults += [f"left over: {path}" for path in left]

    def eintr(self):
        return self.target.logged(self.target.eintr_words)

    def look_at_growth(self):
        """Descriptors and threads may come and go with the load, memory with the work: but not with each cycle."""
        most = {"VmRSS": 100 * self.done + self.target.spare_kb, "VmSize": 1000 * self.done + 200_000, "fds": self.target.spare_fds + self.done // 10,
                "threads": 3 + self.done // 10}
        since = {"VmRSS": self.first, "VmSize": self.first, "fds": self.before, "threads": self.before}
        for name, limit in most.items():
            if self.after and since[name] and self.after[name] - since[name][name] > limit:
                self.fault(f"{name} grew from {since[name][name]} to {self.after[name]} in {self.done} cycles")

    def close(self):
        if self.target.main:
            self.target.stop()
        shutil.rmtree(self.work, ignore_errors=True)

    def row(self):
        tally, grown = self.target.tally, []
        for name in FIGURES:
            numbers = [str(f.get(name, "-")) for f in (self.before, self.first, self.after)]
            grown.append(" ".join(numbers))
        held = f"{statistics.median(self.held_ms):.2f} (to {max(self.held_ms):.2f})" if self.held_ms else "-"
        return [self.name, self.done, tally.answers, tally.wrong, tally.lost, len(self.eintr()), self.refused, self.gone, self.hung, held, *grown]


HEADER = ["program", "cycles", "answers", "wrong", "lost", "EINTR", "refused", "process gone", "hung", "held up, ms",
          "VmRSS kB: before, after the first, at the end", "VmSize kB", "fds", "threads"]


def table(rows, header):
    for cells in (header, ["---"] * len(header), *rows):
        print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def run(name, tool, build, size, body, cycles=GROWTH_FROM):
    """body(trial) does it. The trial, finished; None: the program is missing, which was said."""
    try:
        trial = Trial(name, tool, build, size, cycles)
    except Missing as e:
        print(f"skip {name}: {e}", flush=True)
        return None
    try:
        try:
            trial.begin()
            body(trial)
        except RuntimeError as e: # it does not come up, or does not answer
            trial.hangs = True
            trial.fault(str(e))
        trial.end()
    finally:
        trial.close()
    return trial


def conclude(trials, header=None):
    """Prints the table and the faults; the exit status."""
    print()
    table([t.row() for t in trials], header or HEADER)
    for t in trials:
        for fault in dict.fromkeys(t.faults):
            print(f"{t.name}: {fault}")
    bad = sum(1 for t in trials if t.faults)
    print(f"{len(trials) - bad} passed, {bad} failed")
    return 1 if bad or not trials else 0

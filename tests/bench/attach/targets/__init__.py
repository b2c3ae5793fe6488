# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs to attach to, each with a load that checks every answer."""
import os
import queue
import random
import shutil
import signal
import socket
import subprocess
import threading
import time

import process

HANGS_AFTER = 120 # seconds without an answer, however busy the machine is


class Missing(Exception):
    """The program is not installed here."""


class Tally:
    """What came of the load: counted by many threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answers = self.wrong = self.lost = 0
        self.notes = []

    def right(self, count=1):
        with self.lock:
            self.answers += count

    def is_wrong(self, text):
        with self.lock:
            self.wrong += 1
            self.notes.append(f"wrong: {text}"[:300])

    def is_lost(self, text):
        with self.lock:
            self.lost += 1
            self.notes.append(f"lost: {text}"[:300])

    def note(self, text):
        with self.lock:
            self.notes.append(text[:300])


def needed(*names):
    found = []
    for name in names:
        path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if not path:
            raise Missing(f"no {name} here")
        found.append(path)
    return found


def free_port():
    """Below those that the kernel gives away: nobody else takes it soon."""
    while True:
        port = random.SystemRandom().randrange(16384, 32768)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


class Target:
    """start(), then begin_load() and end_load(), final_checks(), stop(). Whoever derives starts processes
    by run(), says which are to be attached to (pids), and puts its clients' loops into `loops`."""

    name = "?"
    spare_kb = 50_000 # by which its memory may grow with its work
    spare_fds = 3     # by which its descriptors may, when it is looked at
    crash_words = ("terminated by signal", "exited on signal", "Segmentation fault", "SIGSEGV", "core dumped", "=== REDIS BUG", "panic")
    eintr_words = ("Interrupted system call", "EINTR", "InterruptedError")

    rests = True # without a load, its data stays as it is
    pause = 0    # of a client between its requests, in seconds: there is a load either way

    def __init__(self, work, build, size=1.0):
        self.work, self.build, self.size = work, build, size
        self.tally, self.ending = Tally(), threading.Event()
        self.main, self.others, self.clients, self.loops = None, [], [], []
        self.log = f"{work}/log"
        self.prepare()

    def prepare(self):
        pass

    def run(self, line, **more):
        with open(self.log, "ab") as log:
            more = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True, "cwd": self.work, **more}
            return subprocess.Popen(line, **more)

    def await_port(self, port):
        until = time.monotonic() + HANGS_AFTER
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
                return
            except OSError:
                time.sleep(0.05)
            if self.main and self.main.poll() is not None:
                break
        raise RuntimeError(f"{self.name} does not come up: {process.read(self.log)[-500:]}")

    def pids(self):
        return [self.main.pid]

    def measured(self):
        """Processes whose figures are added up: those that last."""
        return [self.main.pid]

    def begin_load(self):
        self.ending.clear()
        self.clients = [threading.Thread(target=self.guarded, args=(loop, i), daemon=True) for i, loop in enumerate(self.loops)]
        for client in self.clients:
            client.start()

    def guarded(self, loop, number):
        """A client whose connection is lost says so and begins again."""
        while not self.ending.is_set():
            try:
                loop(number)
            except (OSError, EOFError, ValueError) as e:
                if not self.ending.is_set():
                    self.tally.is_lost(f"{loop.__name__} {number}: {e or type(e).__name__}")
                    self.ending.wait(0.2)

    def end_load(self, limit=HANGS_AFTER):
        self.ending.set()
        for client in self.clients:
            client.join(limit)
            if client.is_alive() and limit == HANGS_AFTER:
                self.tally.note("hangs: a client does not end")

    def await_answers(self, before):
        """Whether the load goes on: an answer more than `before`."""
        until = time.monotonic() + HANGS_AFTER
        while time.monotonic() < until and not self.crashed():
            if self.tally.answers > before:
                return True
            time.sleep(0.005)
        return False

    def crashed(self):
        return "" if self.main.poll() is None else f"ended with status {self.main.returncode}"

    def logged(self, words):
        return [line[:200] for line in process.read(self.log).splitlines() if any(w in line for w in words)]

    def final_checks(self):
        """After the load: texts of what is wrong."""
        return []

    def stop(self):
        for p in [self.main, *self.others]:
            if p is None:
                continue
            for sig in (signal.SIGTERM, signal.SIGCONT, signal.SIGKILL):
                try:
                    os.killpg(p.pid, sig)
                    p.wait(timeout=20 if sig == signal.SIGCONT else 0.1)
                except (ProcessLookupError, subprocess.TimeoutExpired):
                    pass


class Speaking(Target):
    """A program that checks itself and says so on its standard output, until its input ends."""

    eintr_words = ("EINTR, and",)
    idle = False # gives no answers while it waits
    line = ()

    def start(self):
        self.lines = queue.Queue()
        self.main = subprocess.Popen(self.line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                     cwd=self.work, start_new_session=True, errors="replace")
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.ended = ""
        self.await_first()

    def await_first(self):
        until = time.monotonic() + HANGS_AFTER
        while not self.tally.answers:
            if time.monotonic() > until or self.main.poll() is not None:
                raise RuntimeError(f"{self.name} does not come up: {self.tally.notes[:3]}")
            time.sleep(0.02)

    def listen(self):
        with open(self.log, "a") as log:
            for line in self.main.stdout:
                log.write(line)
                word, _, rest = line.partition(" ")
                if word in ("steps", "ready"):
                    self.tally.right(max(0, int(rest) - self.tally.answers))
                elif word == "left":
                    self.tally.note(line.strip())
                elif line.startswith("ended"):
                    self.ended = line.strip()
                else:
                    self.tally.is_wrong(line.strip())

    def await_answers(self, before):
        return not self.crashed() if self.idle else super().await_answers(before)

    def final_checks(self):
        self.main.stdin.close()
        try:
            status = self.main.wait(timeout=2 * HANGS_AFTER)
        except subprocess.TimeoutExpired:
            return ["hangs: it does not end"]
        self.listener.join(HANGS_AFTER)
        return [f"ended with status {status}: {self.ended}"] if status or not self.ended else []

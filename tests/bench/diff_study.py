#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often scprof diff reports a change between two runs of an unchanged program: real programs.

  tests/bench/diff_study.py --build BUILD record DIR [--runs 12] [--times N] [--load N] [--seconds S] [PROGRAM...]
  tests/bench/diff_study.py --build BUILD judge DIR  [--side 1] [--confidence 0.95] [--by path,function] [PROGRAM...]

record: RUNS profiles of each program into DIR, the programs in turn, beside so many busy processes.
judge: every pair of runs of a program, by path and by function; with --side 3, three runs a side,
drawn at random. Printed: how many report a change, with Clopper and Pearson's limits, and which sites.
Nothing is asserted. Some programs chose the rules, the others judged them: column "use".
docs/results/diff-errors.txt has figures.
"""
import argparse
import collections
import glob
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

PYTHON_IMPORTS = """
import json, csv, socket, argparse, email.message, html.parser, xml.dom.minidom, sqlite3, tempfile, os
t = tempfile.mkdtemp()
for i in range(60 * TIMES):
    with open(f"{t}/{i}", "w") as f: json.dump([{"a": i, "b": "x" * 500}] * 20, f)
for i in range(60 * TIMES): json.load(open(f"{t}/{i}"))
a, b = socket.socketpair()
for i in range(3000 * TIMES): a.send(b"x" * 100); b.recv(100)
for i in range(60 * TIMES): os.unlink(f"{t}/{i}")
os.rmdir(t)
"""
PYTHON_SERVER = """
import socket, threading, logging, decimal, urllib.request, unittest, pickle, os, tempfile
s = socket.create_server(("127.0.0.1", 0))
def serve():
    for _ in range(150 * TIMES):
        c, _ = s.accept(); c.sendall(c.recv(1000) * 5); c.close()
t = threading.Thread(target=serve); t.start()
for i in range(150 * TIMES):
    c = socket.create_connection(s.getsockname()); c.sendall(b"y" * 300)
    while c.recv(1000): pass
    c.close()
t.join()
words = {str(i): i for i in range(20000)}
with tempfile.TemporaryFile() as f:
    for k in set(words): f.write(pickle.dumps(k))
    f.flush(); f.seek(0)
    while f.read(512): pass
"""
PYTHON_FILES = """
import os, sys
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as f:
        while f.read(4096): pass
"""
def sql(times):
    return ("create table t(a integer primary key, b text);"
            + "".join(f"insert into t values({i}, hex(randomblob(50)));" for i in range(60 * times))
            + "begin; insert into t select a + 1000, b || a from t; insert into t select a + 5000, b from t; commit;"
            + "create index i on t(b); select count(*) from t where b like '%FF%'; select * from t order by b;")


def clopper_pearson(k, n):
    """95 %; by bisection on the binomial distribution."""
    from math import comb

    def at_least(p, k):
        return sum(comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k, n + 1))

    def solve(k, target):
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2
            low, high = (p, high) if at_least(p, k) < target else (low, p)
        return low
    return (solve(k, 0.025) if k else 0.0), (solve(k + 1, 0.975) if k < n else 1.0)


class Study:
    def __init__(self, build, directory, times):
        self.times = times
        self.build, self.dir = os.path.realpath(build), os.path.realpath(directory)
        self.work = os.path.join(self.dir, "work")
        self.root = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
        self.programs = {
            # name: (chose the rules or judged them, how a run is recorded)
            "python-imports": ("chose", self.plain([], *self.python(PYTHON_IMPORTS))),
            "python-server": ("judged", self.plain(["-g", "all"], *self.python(PYTHON_SERVER))),
            "python-cold": ("judged", self.cold),
            "git-log": ("chose", self.plain([], "git", "-C", self.root, "log", "--stat", f"-{40 * times}")),
            "git-status": ("judged", self.plain(["-g", "all"], "git", "-C", self.root, "status")),
            "cc1-io": ("chose", self.plain(["-g", "io"], *self.cc1())),
            "cc1-alloc": ("chose", self.plain(["-g", "alloc"], *self.cc1())),
            "cc1-all": ("judged", self.plain(["-g", "all"], *self.cc1())),
            "sort": ("chose", self.plain(["-g", "all"], "sort", "-S", "1M", "-T", self.work, f"{self.work}/lines")),
            "tar": ("judged", self.plain([], "tar", "-cf", f"{self.work}/tar", "-C", self.root, "report", "stats", "docs")),
            "find": ("judged", self.plain(["-g", "all"], "find", self.root, "-size", "+100k")),
            "sqlite3": ("chose", self.sqlite),
            "redis": ("chose", self.redis),
            "nginx": ("judged", self.nginx),
        }

    def python(self, program):
        return [sys.executable, "-c", program.replace("TIMES", str(self.times))]

    def cc1(self):
        cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        return [cc1, "-quiet", "-O1", f"{self.work}/unit.i", "-o", "/dev/null"]

    def prepare(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work + "/files")
        subprocess.run(["gcc", "-E", "-I", self.root, "-o", f"{self.work}/unit.i", f"{self.root}/stats/compare/compare.c"],
                       check=True)
        draw = random.Random(7)
        with open(f"{self.work}/lines", "w") as f:
            for _ in range(100000):
                f.write(f"{draw.getrandbits(60)}\n")
        for i in range(23):
            with open(f"{self.work}/files/{i}", "wb") as f:
                f.write(os.urandom(draw.randrange(1000, 60000)))

    def scprof(self, profile, options, command):
        return [f"{self.build}/scprof", "run", "--no-report", *options, "-o", profile, "--", *command]

    def plain(self, options, *command):
        def record(profile, _):
            subprocess.run(self.scprof(profile, options, command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           stdin=subprocess.DEVNULL)
        return record

    def cold(self, profile, _):
        """The page cache forgets the files in every other run, at random."""
        if random.random() < 0.5:
            for name in glob.glob(f"{self.work}/files/*"):
                with open(name, "rb") as f:
                    os.fsync(f.fileno())
                    os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        self.plain([], sys.executable, "-c", PYTHON_FILES, f"{self.work}/files")(profile, _)

    def sqlite(self, profile, _):
        if os.path.exists(f"{self.work}/db"):
            os.unlink(f"{self.work}/db")
        self.plain(["-g", "all"], "sqlite3", f"{self.work}/db", sql(self.times))(profile, _)

    def served(self, profile, options, server, port, load, stop):
        started = subprocess.Popen(self.scprof(profile, options, server), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        for _ in range(400):
            if subprocess.run(["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"], **quiet).returncode == 0:
                break
            time.sleep(0.05)
        try:
            subprocess.run(load, timeout=120, **quiet)
        finally:
            subprocess.run(stop, **quiet)
            started.wait(60)

    def redis(self, profile, _):
        self.served(profile, ["-g", "all"], ["redis-server", "--port", "7793", "--save", "", "--dir", self.work], 7793,
                    ["redis-benchmark", "-p", "7793", "-P", "4", "-c", "20", "-n", str(10000 * self.times), "-t", "set,get"],
                    ["redis-cli", "-p", "7793", "shutdown", "nosave"])

    def nginx(self, profile, _):
        os.makedirs(f"{self.work}/nginx", exist_ok=True)
        with open(f"{self.work}/nginx/conf", "w") as f:
            f.write(f"daemon off; master_process off; pid {self.work}/nginx/pid; error_log /dev/null;\n"
                    "events { worker_connections 100; }\n"
                    f"http {{ access_log {self.work}/nginx/log; server {{ listen 127.0.0.1:7794; root {self.work}; }} }}\n")
        command = ["nginx", "-c", f"{self.work}/nginx/conf"]
        self.served(profile, ["-g", "all"], command, 7794,
                    ["wrk", "-t", "1", "-c", "8", "-d", "1", "http://127.0.0.1:7794/files/3"], [*command, "-s", "quit"])

    def record(self, a):
        self.prepare()
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(a.load)]
        end, loads = time.monotonic() + a.seconds, []
        try:
            for run in range(a.runs):
                for name in a.program or self.programs:
                    if time.monotonic() > end:
                        break
                    self.programs[name][1](f"{self.dir}/{name}.{run}.scp", run)
                    loads.append(os.getloadavg()[0])
        finally:
            for process in busy:
                process.kill()
        with open(f"{self.dir}/load", "a") as f:
            loads.sort()
            print(f"busy processes {a.load}; load average {loads[0]:.1f} to {loads[-1]:.1f}, "
                  f"{loads[len(loads) // 2]:.1f} in the middle", file=f)

    def diff(self, base, new, by, a):
        done = subprocess.run([f"{self.build}/scprof", "diff", "--format", "json", "--by", by,
                               "--confidence", str(a.confidence), *base, "--", *new],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return done.returncode, json.loads(done.stdout) if done.stdout else None

    def sides(self, name, a):
        runs = sorted(glob.glob(f"{self.dir}/{name}.*.scp"), key=lambda f: int(f.split(".")[-2]))
        draw = random.Random(name)
        if a.side == 1:
            pairs = [([x], [y]) for x, y in itertools.combinations(runs, 2)]
            return draw.sample(pairs, min(a.draws, len(pairs)))
        found = []
        for _ in range(a.draws if len(runs) >= 2 * a.side else 0):
            some = draw.sample(runs, 2 * a.side)
            found.append((some[:a.side], some[a.side:]))
        return found

    def judge(self, a):
        total = collections.defaultdict(lambda: [0, 0])
        with open(f"{self.dir}/load") as f:
            print(f.read(), end="")
        print(f"{'program':<16}{'use':<8}{'by':<10}{'pairs':>6}{'changes':>8}{'compared':>9}   reported sites")
        for name in a.program or self.programs:
            use = self.programs[name][0]
            for by in a.by.split(","):
                self.judge_one(name, use, by, a, total)
        for (use, by), (k, n) in sorted(total.items()):
            low, high = clopper_pearson(k, n)
            print(f"{use}, by {by}: {k} of {n} pairs = {100 * k / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})")

    def judge_one(self, name, use, by, a, total):
        sides = self.sides(name, a)
        if not sides:
            return
        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(lambda s: self.diff(*s, by, a), sides))
        alarms, compared, named = 0, 0, collections.Counter()
        for (base, new), (status, diff) in zip(sides, results):
            alarms += status == 1
            if diff:
                compared += diff["totals"]["no_change_seen"] + diff["totals"]["slower"] + diff["totals"]["faster"]
            for s in diff["sites"] if status == 1 else []:
                if s["status"] in ("slower", "faster"):
                    named[s["symbol"]] += 1
                    if a.verbose:
                        print("   ", os.path.basename(base[0]), os.path.basename(new[0]), s["symbol"], s["verdict"], "|", s["of"],
                              s["against"], f"q={s['q']:.2g}", f"calls {s['base']['calls']:.0f} {s['new']['calls']:.0f}")
        total[use, by][0] += alarms
        total[use, by][1] += len(sides)
        print(f"{name:<16}{use:<8}{by:<10}{len(sides):>6}{alarms:>8}{compared / len(sides):>9.1f}   "
                   + ", ".join(f"{k} {n}" for k, n in named.most_common(6)), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default="build")
    p.add_argument("what", choices=["record", "judge"])
    p.add_argument("dir")
    p.add_argument("program", nargs="*")
    p.add_argument("--runs", type=int, default=12)
    p.add_argument("--times", type=int, default=1, help="record: longer runs, where programs have a length")
    p.add_argument("--load", type=int, default=0)
    p.add_argument("--seconds", type=float, default=1e9, help="record: begin no run after so long")
    p.add_argument("--side", type=int, default=1, help="judge: runs a side")
    p.add_argument("--draws", type=int, default=66, help="judge: at most so many pairs a program, drawn at random")
    p.add_argument("--by", default="path,function")
    p.add_argument("--confidence", type=float, default=0.95)
    p.add_argument("--verbose", action="store_true")
    a = p.parse_intermixed_args()
    os.makedirs(a.dir, exist_ok=True)
    study = Study(a.build, a.dir, a.times)
    study.record(a) if a.what == "record" else study.judge(a)


main()

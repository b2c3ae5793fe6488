# SPDX-License-Identifier: GPL-3.0-or-later
"""Steady servers that nobody here wrote, attached to again and again: what do the reports of one
server say together?

Sums: CPU time by calls and gaps against what the kernel charged the same threads, which must be the
same in each report. Agreement: of the rows that two reports have and do not mark, with 30 calls, in
how many do the means differ by no more than both half widths (the root of their squares)? One run
against the next, and three runs against three others (docs/results/states-loads.txt). Quiet, then
beside busy loops."""
import itertools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

import known
import measure

LOOPS = 4
SECONDS = 5
LEAST_CALLS = 30
NEAR = 0.02 # of the kernel's CPU time
KINDS = {"elapsed": None, "on the CPU": "on_cpu", "kept their CPU": "unswitched"}
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
PYTHON = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_GET(self):
        body = json.dumps([{"i": i, "s": str(i) * 3} for i in range(40)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""
NODE = """
require('http').createServer((_, answer) => answer.end(JSON.stringify(Array.from({length: 40}, (_, i) => ({i, s: 'a' + i})))))
 .listen(Number(process.argv[1]), '127.0.0.1')
"""
NGINX = """daemon off; worker_processes 1; pid {work}/pid; error_log {work}/error.log;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;
 fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
 server {{ listen 127.0.0.1:{port}; root {work}; }} }}
"""


def program(name):
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not found:
        raise measure.Failure(f"no {name} here")
    return found


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [int(p) for p in f.read().split()]


class Steady:
    """A server and its load, until close()."""

    def __init__(self, work):
        self.work, self.port, self.processes = work, measure.free_port(), []
        try:
            self.run(*self.server())
            if not measure.await_port(self.port, self.processes[0]):
                raise measure.Failure("the server does not come up")
            self.run(*self.load())
            time.sleep(1.5) # until connections are made
            self.pid = self.serving()
        except BaseException:
            self.close()
            raise

    def run(self, name, *words):
        self.processes.append(subprocess.Popen([program(name), *map(str, words)], cwd=self.work, start_new_session=True, **QUIET))

    def serving(self):
        return self.processes[0].pid

    def wrk(self, connections, path=""):
        return "wrk", "-t", 1, "-c", connections, "-d", "3600s", f"http://127.0.0.1:{self.port}/{path}"

    def close(self):
        for p in reversed(self.processes):
            measure.stop_group(p)


class Redis(Steady):
    def server(self):
        return "redis-server", "--bind", "127.0.0.1", "--port", self.port, "--save", "", "--appendonly", "no"

    def load(self):
        return "redis-benchmark", "-h", "127.0.0.1", "-p", self.port, "-c", 8, "-n", 10**9, "-t", "get"


class Memcached(Steady):
    def server(self):
        return "memcached", *(("-u", "root") if os.geteuid() == 0 else ()), "-l", "127.0.0.1", "-p", self.port, "-t", 2

    def load(self):
        return "memcaslap", "-s", f"127.0.0.1:{self.port}", "-t", "3600s", "-T", 1, "-c", 8


class Nginx(Steady):
    def server(self):
        with open(f"{self.work}/nginx.conf", "w") as f:
            f.write(NGINX.format(work=self.work, port=self.port))
        with open(f"{self.work}/page", "w") as f:
            f.write("x" * 1000)
        return "nginx", "-p", self.work, "-c", f"{self.work}/nginx.conf"

    def load(self):
        return self.wrk(8, "page")

    def serving(self):
        return children(self.processes[0].pid)[0]


class Postgres(Steady):
    """As another user where this one is root, whom it refuses."""

    def as_user(self, *words):
        return ("runuser", "-u", "postgres", "--", *map(str, words)) if os.geteuid() == 0 else words

    def at_once(self, *words):
        words = [str(w) for w in self.as_user(*words)]
        subprocess.run([program(words[0]), *words[1:]], cwd=self.work, check=True, timeout=300, **QUIET)

    def server(self):
        found = re.search(r"\S+/bin", subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=False).stdout) \
            if shutil.which("pg_config") else None
        folders = [found.group()] if found else sorted(f"{d.path}/bin" for d in os.scandir("/usr/lib/postgresql")) \
            if os.path.isdir("/usr/lib/postgresql") else []
        if not folders:
            raise measure.Failure("no postgres here")
        os.chmod(self.work, 0o777)
        self.at_once(f"{folders[-1]}/initdb", "-D", f"{self.work}/data")
        self.place = "-h", self.work, "-p", str(self.port)
        return self.as_user(f"{folders[-1]}/postgres", "-D", f"{self.work}/data", "-k", self.work, "-p", self.port)

    def load(self):
        self.at_once("createdb", *self.place, "steady")
        self.at_once("pgbench", "-i", "-s", 2, *self.place, "steady")
        return self.as_user("pgbench", "-S", "-c", 2, "-T", 3600, *self.place, "steady")

    def serving(self):
        """One that answers a client."""
        server = self.processes[0].pid
        for _ in range(100):
            for pid in [p for q in [server, *children(server)] for p in [q, *children(q)]]:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    if b" steady " in f.read():
                        return pid
            time.sleep(0.1)
        raise measure.Failure("no process of it answers a client")


class Python(Steady):
    def server(self):
        return sys.executable, "-c", PYTHON, self.port

    def load(self):
        return self.wrk(3)


class Node(Steady):
    def server(self):
        return "node", "-e", NODE, self.port

    def load(self):
        return self.wrk(8)


SERVERS = (Redis, Memcached, Nginx, Postgres, Python, Node)


def intervals(report):
    """{(function, outcome): {kind: (mean, low, high)}} of the rows that are not marked."""
    found = {}
    for site in report["sites"]:
        if site["calls"] < LEAST_CALLS:
            continue
        row = found[site["symbol"], site["outcome"]] = {}
        states = site["states"]
        for kind, state in KINDS.items():
            value = site if not state else states and states[state]
            marked = site["doubts"] if not state else states and states["doubts"]
            if not value or marked or value["mean_ns"] is None or value["ci_high_ns"] is None:
                continue
            if value.get("calls", LEAST_CALLS) >= LEAST_CALLS:
                row[kind] = value["mean_ns"], value["ci_low_ns"], value["ci_high_ns"]
    return found


class Agreement:
    def __init__(self):
        self.pairs = {kind: [0, 0] for kind in KINDS}

    def add(self, one, other):
        for key in one.keys() & other.keys():
            for kind in one[key].keys() & other[key].keys():
                low, high = sorted((one[key][kind], other[key][kind]))
                near = high[0] - low[0] <= math.hypot(low[2] - low[0], high[0] - high[1])
                self.pairs[kind][0] += near
                self.pairs[kind][1] += 1

    def more(self, other):
        for kind, (near, pairs) in other.pairs.items():
            self.pairs[kind][0] += near
            self.pairs[kind][1] += pairs

    def cells(self):
        return [f"{a} of {n}" for a, n in self.pairs.values()]


def attach(tools, server, seconds, profile):
    done = subprocess.run([tools.program("scprof"), "attach", str(server.pid), "-g", "all", "--for", f"{seconds}s", "--no-report",
                           "-o", profile], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds + 120, check=False)
    if done.returncode:
        raise measure.Failure(f"attach: {done.stderr.strip()[-200:]}")


def report_of(tools, profiles):
    done = subprocess.run([tools.program("scprof"), "report", "--by", "function", "--format", "json", *profiles],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def series(tools, kind, runs, seconds):
    """(sums' differences, agreement with the next, agreement of threes)."""
    work = tools.fresh()
    os.chmod(tools.work, 0o755) # workers are other users
    os.chmod(work, 0o755)
    profiles = [f"{work}/{i}.scp" for i in range(runs)]
    try:
        server = kind(work)
        try:
            for profile in profiles:
                attach(tools, server, seconds, profile)
        finally:
            server.close()
        reports = [report_of(tools, [p]) for p in profiles]
        threes = [intervals(report_of(tools, profiles[i:i + 3])) for i in range(0, runs - 2, 3)]
    finally:
        tools.forget(work)
    one, three = Agreement(), Agreement()
    for a, b in itertools.pairwise(map(intervals, reports)):
        one.add(a, b)
    for a, b in itertools.combinations(threes, 2):
        three.add(a, b)
    return [r["totals"]["charged_difference"] for r in reports], one, three


def bench(tools, runs, scale):
    seconds = max(1, round(SECONDS * scale))
    for loops in (0, LOOPS):
        steal = measure.Steal()
        measure.header(f"Servers attached to for {seconds} s, {runs} times, beside {loops} busy loops", "server",
                       f"CPU time within {NEAR:.0%} of the kernel's", "largest difference", *(f"next run agrees: {k}" for k in KINDS),
                       *(f"three runs and three: {k}" for k in KINDS))
        ones, threes = Agreement(), Agreement()
        for kind in SERVERS:
            try:
                with known.load(loops > 0, loops):
                    sums, one, three = series(tools, kind, runs, seconds)
            except (measure.Failure, OSError, subprocess.SubprocessError) as e:
                measure.row(kind.__name__.lower(), str(e), *["-"] * (1 + 2 * len(KINDS)))
                continue
            told = [d for d in sums if d is not None]
            worst = max(told, key=abs, default=None)
            measure.row(kind.__name__.lower(), f"{sum(abs(d) <= NEAR for d in told)} of {len(sums)}",
                        "-" if worst is None else f"{worst:+.1%}", *one.cells(), *three.cells())
            ones.more(one)
            threes.more(three)
        measure.row("all", "-", "-", *ones.cells(), *threes.cells())
        print(f"\n{os.cpu_count()} CPUs; the host stole {steal.percent():.1f} % of their time")

# SPDX-License-Identifier: GPL-3.0-or-later
"""How many rows of a report have a reliability warning: three servers that nobody here wrote, for
ten seconds each, alone and beside eight busy loops. A warning that is always there is none."""
import contextlib
import os
import shutil
import subprocess
import sys

import known
import measure
import servers

SECONDS = 10
LOOPS = 8
GROUPS = ("socket", "socket,io,wait")

REDIS = ("redis-server", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no")


class Server(servers.Server):
    """Its report is read before the profile goes."""

    def __init__(self, tools, groups, command, port, stop=None):
        super().__init__(tools, f"scprof -g {groups}", command, port, stop)
        self.report = None
        self.at_end = lambda out: self.read(tools, out)

    def read(self, tools, out):
        kept = os.environ.get("DOUBTS_KEEP")
        if kept:
            os.makedirs(kept, exist_ok=True)
            shutil.copy(f"{out}/p.scp", f"{kept}/{self.name}.scp")
        self.report = known.report_of(tools, f"{out}/p.scp", "path")


def asked(command, seconds):
    """A load that is ended when its time is over."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, timeout=seconds, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)


def redis(tools, groups):
    port = measure.free_port()
    server = Server(tools, groups, [*REDIS, "--port", str(port), "--dir", tools.work], port,
                    ["redis-cli", "-p", str(port), "shutdown", "nosave"])
    return server, ["redis-benchmark", "-p", str(port), "-t", "set,get", "-n", "100000000", "-q"]


def nginx(tools, groups):
    port, work = measure.free_port(), tools.fresh()
    os.chmod(tools.work, 0o755) # the worker is another user
    os.chmod(work, 0o755)
    with open(f"{work}/nginx.conf", "w") as f:
        f.write(servers.NGINX.format(work=work, port=port))
    with open(f"{work}/page.html", "w") as f:
        f.write("x" * 1000)
    line = [shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin") or "nginx", "-p", work, "-c", f"{work}/nginx.conf"]
    server = Server(tools, groups, line, port, [*line, "-s", "stop"])
    return server, ["wrk", "-t", "1", "-c", "16", "-d", f"{2 * SECONDS}s", f"http://127.0.0.1:{port}/page.html"]


PYTHON = """
import http.server, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"x" * 1000)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
"""


def python(tools, groups):
    port = measure.free_port()
    server = Server(tools, groups, [os.path.realpath(sys.executable), "-c", PYTHON, str(port)], port)
    return server, ["wrk", "-t", "1", "-c", "8", "-d", f"{2 * SECONDS}s", f"http://127.0.0.1:{port}/"]


PROGRAMS = {"redis": (redis, "redis-benchmark"), "nginx": (nginx, "wrk"), "python": (python, "wrk")}


def run(tools, name, groups, loops, seconds):
    start, load = PROGRAMS[name]
    if not shutil.which(load):
        raise measure.Failure(f"no {load} here")
    server, command = start(tools, groups)
    server.name = f"{name}-{groups}-{loops}"
    try:
        with known.load(loops, loops):
            asked(command, seconds)
    finally:
        server.close()
    return server.report


def row(title, report):
    sites = report["sites"]
    time_ns = sum(s["total_ns"] for s in sites) or 1
    doubted = [s for s in sites if s["doubts"]]
    codes = {}
    for code in (code for s in doubted for code in s["doubts"]):
        codes[code] = codes.get(code, 0) + 1
    share = sum(s["total_ns"] for s in doubted) / time_ns
    seen = [s for s in sites if s["total_ns"] >= 0.01 * time_ns]
    measure.row(title, f"{sum(s['calls'] for s in sites):,}", len(sites), len(doubted), f"{100 * share:.1f} %",
                f"{sum(bool(s['doubts']) for s in seen)} of {len(seen)}",
                ", ".join(f"{code} {n}" for code, n in sorted(codes.items())) or "none")
    return len(sites), len(doubted)


def bench(tools, runs, scale):
    seconds = max(2, SECONDS * scale)
    measure.header("Rows with reliability warnings", "program, groups, loops beside it", "calls", "rows", "doubted", "of the time",
                   "of those with 1 % of the time", "why")
    total = [0, 0]
    for groups in GROUPS:
        for loops in (0, LOOPS):
            for name in PROGRAMS:
                for _ in range(runs):
                    title = f"{name}, {groups}, {loops} (load {os.getloadavg()[0]:.0f})"
                    try:
                        counted = row(title, run(tools, name, groups, loops, seconds))
                        total = [a + b for a, b in zip(total, counted)]
                    except (measure.Failure, OSError, ValueError, KeyError) as e:
                        measure.row(title, e, *["-"] * 5)
    print(f"\n{total[1]} of {total[0]} rows have a warning; runs of {seconds:.0f} s; groups as -g has them")

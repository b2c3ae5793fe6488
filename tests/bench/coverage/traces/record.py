#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations of every call of real programs, for `coverage --heldout` (docs/coverage.md).

usage: tests/bench/coverage/traces/record.py [--seconds N] [--build DIR] [PROGRAM...]

Programs: redis, nginx, python, sqlite; each alone and beside four busy loops. Writes DIR/traces/PROGRAM-FUNCTION-LOAD.ticks:
64-bit durations in ticks of the time stamp counter, in the order of their ends, one process's; the first second is left out.
A program that is not installed is skipped. Exit status 2 where nothing was recorded.
"""
import argparse
import array
import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

LEAST = 2000  # calls: shorter ones are no trace
MOST = 200000
PORT = 17399

NGINX = """daemon off; master_process off; worker_processes 1; pid %(dir)s/pid; error_log %(dir)s/error.log;
events {}
http { access_log off; client_body_temp_path %(dir)s/b; proxy_temp_path %(dir)s/p; fastcgi_temp_path %(dir)s/f;
  uwsgi_temp_path %(dir)s/u; scgi_temp_path %(dir)s/s;
  server { listen 127.0.0.1:%(port)d; root %(dir)s/www; location /copied { sendfile off; } location /sent { sendfile on; } } }
"""
PYTHON = """
import os, socket, threading, time
end = time.monotonic() + %d
a, b = socket.socketpair()
def echo():
    while True:
        part = b.recv(65536)
        if not part:
            return
        os.write(b.fileno(), part)
threading.Thread(target=echo, daemon=True).start()
fd = os.open("file", os.O_RDWR | os.O_CREAT)
i = 0
while time.monotonic() < end:
    i += 1
    a.send(b"x" * (64 + i %% 5000))
    os.read(a.fileno(), 65536)
    if i %% 4 == 0:
        os.lseek(fd, i %% 1000 * 4096, 0)
        os.write(fd, b"y" * 4096)
        if i %% 16 == 0:
            open("/proc/self/stat", "rb").read()
"""


def redis(folder, environ, seconds):
    with background(["redis-server", "--port", str(PORT), "--save", "", "--dir", folder], environ):
        time.sleep(1)
        call(["redis-benchmark", "-p", str(PORT), "-c", "20", "-d", "64", "-t", "set,get,lrange_100", "-n", "100000000", "-q"], seconds)


def nginx(folder, environ, seconds):
    www = os.path.join(folder, "www")
    for name, size in (("copied", 20000), ("sent", 200000)):
        os.makedirs(os.path.join(www, name))
        with open(os.path.join(www, name, "file"), "wb") as file:
            file.write(b"x" * size)
    config = os.path.join(folder, "nginx.conf")
    with open(config, "w") as file:
        file.write(NGINX % {"dir": folder, "port": PORT})
    with background(["nginx", "-c", config], environ):
        time.sleep(1)
        load = ["wrk", "-t1", "-c4", f"-d{seconds}", f"http://127.0.0.1:{PORT}/copied/file"]
        with background(load, None):
            call(load[:-1] + [f"http://127.0.0.1:{PORT}/sent/file"], seconds + 10)


def python(folder, environ, seconds):
    with background([sys.executable, "-c", PYTHON % seconds], environ, folder) as process:
        process.wait(timeout=seconds + 20)


def sqlite(folder, environ, seconds):
    """Transactions and searches by key in turn, with a small cache."""
    with background(["sqlite3", os.path.join(folder, "base")], environ, stdin=subprocess.PIPE) as process:
        end = time.monotonic() + seconds
        feed(process, "pragma cache_size=20; pragma mmap_size=0; create table t(k integer primary key, v text);\n"
                      "insert into t select value, hex(randomblob(100)) from generate_series(1,200000);\n")
        number = 0
        while time.monotonic() < end:
            lines = []
            for _ in range(50):
                number = (number * 7919 + 104729) % 200000
                lines.append(f"select count(*) from t where k between {number} and {number + 20};")
                if number % 4 == 0:
                    lines.append(f"update t set v=hex(randomblob(100)) where k={number};")
            feed(process, "\n".join(lines) + "\n")


def feed(process, text):
    process.stdin.write(text.encode())
    process.stdin.flush()


PROGRAMS = {"redis": (redis, ["redis-server", "redis-benchmark"]), "nginx": (nginx, ["nginx", "wrk"]), "python": (python, []),
            "sqlite": (sqlite, ["sqlite3"])}


def call(command, seconds):
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(command, timeout=seconds, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def background(command, environ, cwd=None, stdin=subprocess.DEVNULL):
    process = subprocess.Popen(command, env=environ, cwd=cwd, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextlib.contextmanager
def busy(loops):
    """Loops that a time limit ends, too."""
    started = [subprocess.Popen(["timeout", "120", "sh", "-c", "while :; do :; done"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in started:
            process.terminate()
            process.wait()


def longest(name):
    """The durations in the fullest file of a function."""
    best = array.array("Q")
    for path in glob.glob(name):
        values = array.array("Q")
        with open(path, "rb") as file:
            values.frombytes(file.read())
        end = len(values)
        while end and not values[end - 1]:
            end -= 1
        if end > len(best):
            best = values[:end]
    return best


def keep(folder, program, load, to):
    kept = 0
    for function in ("read", "write", "epoll_wait", "writev", "recv", "sendfile64", "pread64", "fdatasync"):
        values = longest(os.path.join(folder, function + ".*"))
        values = values[len(values) // 10:][:MOST]
        if len(values) >= LEAST:
            with open(os.path.join(to, f"{program}-{function}-{load}.ticks"), "wb") as file:
                values.tofile(file)
            print(f"{program} {function} {load}: {len(values)} calls, mean {sum(values) / len(values):.0f} ticks, "
                  f"longest {max(values)}")
            kept += 1
    return kept


def record(program, build, seconds, to):
    run, needed = PROGRAMS[program]
    if not all(shutil.which(name) for name in needed):
        print(f"{program}: not installed, skipped", file=sys.stderr)
        return 0
    kept = 0
    for load, loops in (("quiet", 0), ("busy", 4)):
        with tempfile.TemporaryDirectory() as folder, busy(loops):
            logs = os.path.join(folder, "logs")
            os.mkdir(logs)
            environ = dict(os.environ, LD_PRELOAD=os.path.abspath(os.path.join(build, "bench", "liblog_durations.so")),
                           LOG_DURATIONS=logs)
            run(folder, environ, seconds)
            kept += keep(logs, program, load, to)
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=20, metavar="N", help="of each program and load")
    parser.add_argument("--build", default="build", metavar="DIR", help="where `make bench-coverage` built")
    parser.add_argument("program", nargs="*", metavar="PROGRAM", help=" ".join(PROGRAMS))
    options = parser.parse_args()
    to = os.path.join(options.build, "traces")
    os.makedirs(to, exist_ok=True)
    kept = sum(record(program, options.build, options.seconds, to) for program in options.program or PROGRAMS)
    return 0 if kept else 2


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: GPL-3.0-or-later
"""Real programs, each with a change that removes all calls of one site. A server has CPU 0, its load CPU 1."""
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

import runs

HERE = os.path.dirname(os.path.realpath(__file__))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def on_cpu(cpu, line):
    return ["taskset", "-c", str(cpu), *line]


def pin(pid, cpu):
    """All its threads. A command that is wrapped is the wrapper's child; the wrapper itself goes where it will."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), {cpu})


def child_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return int(f.read().split()[0])


class Server:
    """One that runs, from its first answer on; `wrap` stands before its command."""
    def __init__(self, work, build, changed, wrap=()):
        self.work, self.build, self.changed, self.port = work, build, changed, free_port()
        os.makedirs(work)
        os.chmod(work, 0o755)
        self.process = subprocess.Popen([*wrap, *self.command()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True, cwd=work)
        until = time.monotonic() + 20
        while not self.answers():
            if time.monotonic() > until or self.process.poll() is not None:
                self.close()
                raise runs.Failure("the server does not come up")
            time.sleep(0.05)
        pin(child_of(self.process.pid) if wrap else self.process.pid, 0)

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def load(self, seconds):
        """Units a second."""
        line = on_cpu(1, ["wrk", "-t", "1", "-c", str(self.connections), "-d", f"{max(1, round(seconds))}s",
                          f"http://127.0.0.1:{self.port}/page.html"])
        return float(re.search(r"Requests/sec:\s+([0-9.]+)", runs.output(line, seconds + 30)).group(1))

    def close(self):
        runs.stop(self.process)
        shutil.rmtree(self.work, ignore_errors=True)


class RedisWrite(Server):
    """The append-only file's write, one for all commands of a turn of the loop."""
    site, progress, groups = "write@flushAppendOnlyFile", "read@completed", "io,wait"
    connections = 4

    def command(self):
        without = ["env", f"LD_PRELOAD={self.build}/bench/libwithout.so"] if self.changed else []
        return [*without, "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "yes",
                "--appendfsync", "no", "--auto-aof-rewrite-percentage", "0", "--dir", self.work]

    def load(self, seconds):
        until, said = time.monotonic() + seconds, []
        while not said or time.monotonic() < until:
            text = runs.output(on_cpu(1, ["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.port), "-c", str(self.connections),
                                          "-d", "200", "-n", "20000", "-t", "set", "--csv"]), 60)
            said.append(1 / float(re.search(r'"SET","([0-9.]+)"', text).group(1)))
        return len(said) / sum(said)


class RedisNoFile(RedisWrite):
    """The whole file: what it writes is not put together, either."""

    def command(self):
        line = super().command()
        if self.changed:
            line = line[2:]
            line[line.index("--appendonly") + 1] = "no"
        return line


NGINX = """daemon off; master_process off; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 256; }}
http {{ access_log {log}; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; keepalive_requests 1000000000;
 fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
 server {{ listen 127.0.0.1:{port}; root {work}; }} }}
"""


class NginxWrite(Server):
    """The log line's write: 64 kB of lines are kept before one."""
    site, progress, groups = "write", "recv@completed", "io,wait"  # answers go out by writev
    connections = 8

    def log(self):
        return f"{self.work}/access.log" + (" combined buffer=64k" if self.changed else "")

    def command(self):
        with open(f"{self.work}/nginx.conf", "w") as f:
            f.write(NGINX.format(work=self.work, port=self.port, log=self.log()))
        with open(f"{self.work}/page.html", "w") as f:
            f.write("x" * 1000)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin") or "nginx"
        return [program, "-p", self.work, "-c", f"{self.work}/nginx.conf"]


class NginxNoLog(NginxWrite):
    """access_log off: the line is not put together, either."""

    def log(self):
        return "off" if self.changed else super().log()


class PythonLog(Server):
    """A logging line."""
    site, progress, groups = "log", "request", "io,wait,region"
    connections = 4

    def command(self):
        return ["/usr/bin/python3", f"{HERE}/service.py", str(self.port), f"{self.work}/log", *(["quiet"] if self.changed else [])]


class PythonWrite(PythonLog):
    """The write of that line alone: left out."""
    site = "write@*emit*"

    def command(self):
        without = ["env", f"LD_PRELOAD={self.build}/bench/libwithout.so"] if self.changed else []
        return [*without, "/usr/bin/python3", f"{HERE}/service.py", str(self.port), f"{self.work}/log"]


class SqliteSync:
    """fdatasync of each transaction of ROWS rows: PRAGMA synchronous=OFF. On a disk."""
    site, progress, groups = "fdatasync", "sqlite3_step", "io"
    symbols = "libsqlite3*:sqlite3_step"
    ROWS, TRANSACTIONS = 400, 60

    def __init__(self, work, build, changed, wrap=()):
        self.work, self.wrap = work, wrap
        os.makedirs(work)
        rows = "".join(f"insert into t(b) values('row {i} with some text to fill it');\n" for i in range(self.ROWS))
        self.text = ("begin;\n" + rows + "commit;\n") * self.TRANSACTIONS
        self.head = (f"pragma journal_mode=wal; pragma synchronous={'off' if changed else 'full'};\n"
                     "create table if not exists t(a integer primary key, b text);\n")
        self.process = None

    def load(self, seconds):
        """A new database each time; it is fed until the time has passed, or the tool ended it."""
        for name in os.listdir(self.work):
            os.unlink(f"{self.work}/{name}")
        began, fed = time.monotonic(), 0
        self.process = subprocess.Popen([*self.wrap, "sqlite3", f"{self.work}/t.db"], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        late = threading.Timer(seconds + 60, lambda: runs.stop(self.process))
        late.start()
        try:
            self.process.stdin.write(self.head)
            while time.monotonic() < began + seconds:
                self.process.stdin.write(self.text + "delete from t;\n")
                fed += self.ROWS * self.TRANSACTIONS
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.wait()
        late.cancel()
        return fed / (time.monotonic() - began)

    def close(self):
        if self.process:
            runs.stop(self.process)
        shutil.rmtree(self.work, ignore_errors=True)


SERVICES = {"redis, write of the file": RedisWrite, "redis, no file": RedisNoFile, "nginx, write of the log": NginxWrite,
            "nginx, no log": NginxNoLog, "python, logging line": PythonLog, "python, its write": PythonWrite,
            "sqlite, fdatasync": SqliteSync}


def interrupt(process):
    """The tool ends its command, and reports."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)

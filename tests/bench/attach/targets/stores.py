# SPDX-License-Identifier: GPL-3.0-or-later
"""redis beside a twin that is left alone, memcached with every value checked, postgres with pgbench's sums."""
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import time

import process
from targets import HANGS_AFTER, Missing, Target, free_port, needed


class Resp:
    """A connection to a redis server; commands go out in a pipeline."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), HANGS_AFTER)
        self.file = self.socket.makefile("rb")

    def ask(self, commands):
        out = bytearray()
        for words in commands:
            out += b"*%d\r\n" % len(words)
            for word in words:
                word = str(word).encode()
                out += b"$%d\r\n%s\r\n" % (len(word), word)
        self.socket.sendall(out)
        return [self.answer() for _ in commands]

    def answer(self):
        line = self.file.readline()
        if not line.endswith(b"\r\n"):
            raise EOFError("the connection was closed")
        kind, rest = line[:1], line[1:-2]
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return None if rest == b"-1" else [self.answer() for _ in range(int(rest))]
        return line[:-2]

    def close(self):
        self.file.close()
        self.socket.close()


def commands_of(dice, prefix, count):
    for _ in range(count):
        key, value = f"{prefix}:{dice.randrange(200)}", f"scprof-check-{dice.randrange(10**8):08d}" * dice.choice((1, 1, 5, 300))
        yield dice.choice((
            ("SET", f"s{key}", value), ("GET", f"s{key}"), ("APPEND", f"a{key}", value[:50]), ("STRLEN", f"a{key}"), ("INCR", f"i{key}"),
            ("LPUSH", f"l{key}", value[:50]), ("RPOP", f"l{key}"), ("LRANGE", f"l{key}", 0, 5), ("HSET", f"h{key}", value[:16], value),
            ("HLEN", f"h{key}"), ("ZADD", f"z{key}", dice.randrange(1000), value[:20]), ("ZRANGE", f"z{key}", 0, 10), ("DEL", f"a{key}"),
            ("SADD", f"t{key}", value[:18]), ("SCARD", f"t{key}"), ("ECHO", value)))


class Redis(Target):
    name, rests = "redis", False

    def prepare(self):
        self.program, self.bench = needed("redis-server", "redis-benchmark")
        self.loops = [self.compare, self.compare, self.save, self.benchmark]

    def server(self, name):
        port = free_port()
        os.makedirs(f"{self.work}/{name}")
        line = [self.program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "yes" if name == "tried" else "no",
                "--dir", f"{self.work}/{name}", "--io-threads", "2" if name == "tried" else "1"]
        if "v=6." not in subprocess.check_output([self.program, "--version"], text=True):  # which always allows it
            line += ["--enable-debug-command", "yes"]
        return self.run(line), port

    def start(self):
        twin, self.twin_port = self.server("twin")
        self.others.append(twin)
        self.main, self.port = self.server("tried")
        self.await_port(self.twin_port)
        self.await_port(self.port)

    def compare(self, number):
        """The same commands to both: the answers must be the same. A client that lost its connection would
        leave the two apart, so the twin is asked only after the tried one has answered."""
        dice, tried, twin = random.Random(time.time_ns()), Resp(self.port), Resp(self.twin_port)
        try:
            while not self.ending.wait(self.pause):
                batch = list(commands_of(dice, number, 50))
                answers = tried.ask(batch)
                for words, found, expected in zip(batch, answers, twin.ask(batch)):
                    if found != expected:
                        self.tally.is_wrong(f"{words}: {found} instead of {expected}"[:200])
                    else:
                        self.tally.right()
        finally:
            tried.close()
            twin.close()

    def save(self, _):
        """Children by fork, which write all that there is."""
        tried = Resp(self.port)
        try:
            while not self.ending.wait(1):
                tried.ask([("BGSAVE",) if random.random() < 0.7 else ("BGREWRITEAOF",)])
        finally:
            tried.close()

    def benchmark(self, _):
        """Load only: of keys in another database."""
        done = subprocess.run([self.bench, "-p", str(self.port), "--dbnum", "9", "-n", "4000", "-c", "20", "-P", "4", "-q", "-t",
                               "ping,set,get,incr,lpush,lrange_100"], capture_output=True, text=True, timeout=600, check=False)
        if done.returncode and not self.ending.is_set():
            raise EOFError(f"redis-benchmark: status {done.returncode}: {done.stderr[-200:]}")
        self.ending.wait(100 * self.pause)

    def final_checks(self):
        digests, bad = [], []
        try:
            for port in (self.port, self.twin_port):
                server = Resp(port)
                server.ask([("SELECT", 9), ("FLUSHDB",), ("SELECT", 0)])
                digests.append(server.ask([("DEBUG", "DIGEST")])[0])
                server.close()
        except (OSError, EOFError) as e:
            bad.append(f"no digest: {e}")
        if len(set(digests)) != 1:
            bad.append(f"the digests differ: {digests}")
        return bad


class Memcached(Target):
    name = "memcached"

    def prepare(self):
        (self.program,) = needed("memcached")
        self.loops = [self.client] * 4

    def start(self):
        self.port = free_port()
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        self.main = self.run([self.program, "-l", "127.0.0.1", "-p", str(self.port), "-U", "0", "-t", "4", "-m", "256", *user])
        self.await_port(self.port)

    def client(self, number):
        """Keys of its own, of which it knows each value."""
        known, dice = {}, random.Random(time.time_ns())
        connection = socket.create_connection(("127.0.0.1", self.port), HANGS_AFTER)
        file = connection.makefile("rwb")
        try:
            while not self.ending.wait(self.pause):
                key = f"k{number}.{dice.randrange(300)}"
                if dice.random() < 0.4:
                    known[key] = f"scprof-check-{dice.randrange(10**8):08d}" * dice.choice((1, 10, 2000))
                    file.write(f"set {key} 0 0 {len(known[key])}\r\n{known[key]}\r\n".encode())
                    expected = b"STORED\r\n"
                elif key in known:
                    file.write(f"get {key}\r\n".encode())
                    expected = f"VALUE {key} 0 {len(known[key])}\r\n{known[key]}\r\nEND\r\n".encode()
                else:
                    continue
                file.flush()
                found = file.readline()
                if found.startswith(b"VALUE"):
                    found += file.read(int(found.split()[3]) + 2) + file.readline()
                if not found.endswith(b"\r\n"):
                    raise EOFError("the connection was closed")
                if found != expected:
                    self.tally.is_wrong(f"{key}: {found[:60]} instead of {expected[:60]}")
                    raise EOFError("after a wrong answer")
                self.tally.right()
        finally:
            connection.close()


class Postgres(Target):
    name = "postgres"

    def prepare(self):
        found = needed("postgres", "pgbench", "psql")
        initdb = shutil.which("initdb", path=os.path.dirname(os.path.realpath(found[0])) + ":" + os.environ["PATH"])
        if not initdb:
            raise Missing("no initdb here")
        self.initdb, (self.program, self.bench, self.psql) = initdb, found
        self.user = {"user": "postgres", "group": pwd.getpwnam("postgres").pw_gid} if os.geteuid() == 0 else {}
        self.loops = [self.short, self.long, self.asked]

    def environment(self):
        return dict(os.environ, PGHOST=self.work, PGPORT=str(self.port), PGUSER="postgres", PGDATABASE="postgres", LC_ALL="C")

    def start(self):
        self.port, data = free_port(), f"{self.work}/data"
        os.makedirs(data, mode=0o700)
        if self.user:
            for path in (self.work, data):
                shutil.chown(path, self.user["user"], self.user["group"])
        subprocess.run([self.initdb, "-D", data, "-U", "postgres", "-A", "trust", "-N"], stdin=subprocess.DEVNULL, check=True, timeout=300,
                       cwd=self.work, capture_output=True, **self.user)
        self.main = self.run([self.program, "-D", data, "-p", str(self.port), "-k", self.work, "-c", "listen_addresses=127.0.0.1",
                              "-c", "checkpoint_timeout=30s", "-c", "fsync=off", "-c", "max_parallel_workers_per_gather=2"], **self.user)
        self.await_port(self.port)
        for _ in range(600):
            done = subprocess.run([self.bench, "-i", "-q", "-s", "2"], env=self.environment(), capture_output=True, text=True, timeout=300,
                                  check=False)
            if done.returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError(f"pgbench -i: {done.stderr[-300:]}")

    def pids(self):
        """The postmaster, its lasting children, and some of its backends."""
        found = process.children(self.main.pid)
        return [self.main.pid, *random.sample(found, min(3, len(found)))]

    def pgbench(self, seconds, *more):
        more = (*more, "-R", "100") if self.pause else more # transactions a second
        done = subprocess.run([self.bench, "-n", "-T", str(seconds), *more], env=self.environment(), capture_output=True, text=True,
                              timeout=seconds + HANGS_AFTER, check=False)
        count = re.search(r"actually processed: (\d+)", done.stdout)
        if done.returncode or re.search(r"error|abort|fatal|terminat", done.stderr, re.I):
            raise EOFError(f"pgbench: status {done.returncode}: {done.stderr[-200:]}")
        self.tally.right(int(count.group(1)) if count else 0)

    def short(self, _):
        self.pgbench(1, "-c", "2", "-C")

    def long(self, _):
        self.pgbench(1, "-c", "3", "-M", "prepared")

    def asked(self, _):
        """A session that lasts and answers all the time, as pgbench says nothing before its end."""
        session = subprocess.Popen([self.psql, "-AtXq"], env=self.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            while not self.ending.wait(0.01):
                number = random.randrange(10**6)
                session.stdin.write(f"select {number} + sum(i) from generate_series(1, 100) i;\n")
                session.stdin.flush()
                found = session.stdout.readline()
                if found != f"{number + 5050}\n":
                    raise EOFError(f"psql: {found!r} instead of {number + 5050}")
                self.tally.right()
        finally:
            session.stdin.close()
            session.stdout.close()
            session.wait(timeout=HANGS_AFTER)

    def sums(self):
        query = ("select (select sum(abalance) from pgbench_accounts), (select sum(tbalance) from pgbench_tellers), "
                 "(select sum(bbalance) from pgbench_branches), (select coalesce(sum(delta), 0) from pgbench_history)")
        done = subprocess.run([self.psql, "-At", "-c", query], env=self.environment(), capture_output=True, text=True, timeout=300, check=False)
        return done.stdout.strip().split("|") if done.returncode == 0 else [done.stderr[-200:]]

    def final_checks(self):
        sums = self.sums()
        return [] if len(sums) == 4 and len(set(sums)) == 1 else [f"the sums differ: {sums}"]


PROGRAMS = (Redis, Memcached, Postgres)

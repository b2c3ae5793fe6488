# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers that speak HTTP: nginx with files of many sizes, and programs of ours for the runtimes, which
give the bytes that their path names. Each body is compared with what it must be."""
import hashlib
import http.client
import os
import random
import sys

import process
from targets import HANGS_AFTER, Target, free_port, needed

HERE = os.path.dirname(os.path.realpath(__file__))


def body_of(seed, size):
    """As server.py, server.js and Server.java make it: SHA-256 of what follows, then text of the seed."""
    text = (f"scprof-check-{seed:08d}." * (size // 22 + 1))[:size].encode()
    return hashlib.sha256(text).hexdigest().encode() + text


class Web(Target):
    connections = 4

    def prepare(self):
        self.loops = [self.keep_alive] * self.connections + [self.one_each]

    def ask(self, connection, dice):
        path, expected = self.question(dice)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200 or body != expected:
            self.tally.is_wrong(f"{path}: status {answer.status}, {len(body)} bytes of {len(expected)}")
        else:
            self.tally.right()

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGS_AFTER)

    def keep_alive(self, number):
        dice, connection = random.Random(number), self.connect()
        try:
            while not self.ending.wait(self.pause):
                self.ask(connection, dice)
        except http.client.HTTPException as e:
            raise EOFError(repr(e)) from None
        finally:
            connection.close()

    def one_each(self, number):
        """A new connection for each request."""
        dice = random.Random(number)
        while not self.ending.is_set():
            connection = self.connect()
            try:
                self.ask(connection, dice)
            except http.client.HTTPException as e:
                raise EOFError(repr(e)) from None
            finally:
                connection.close()
            self.ending.wait(0.005)

    def question(self, dice):
        seed, size = dice.randrange(10**8), dice.choice((0, 1, 100, 4000, 60_000, 300_000))
        return f"/{seed}/{size}", body_of(seed, size)


NGINX = """daemon off; worker_processes 2; pid {work}/nginx.pid; error_log {log} info; {user}
worker_shutdown_timeout 5s;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; keepalive_requests 1000000000;
 keepalive_timeout 3600s; gzip on; gzip_types *; sendfile on;
 fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
 server {{ listen 127.0.0.1:{port}; root {work}/files; location /copied/ {{ alias {work}/files/; sendfile off; }}
  location /proxied/ {{ proxy_pass http://127.0.0.1:{port}/; proxy_http_version 1.1; }} }} }}
"""


class Nginx(Web):
    name = "nginx"

    def prepare(self):
        super().prepare()
        self.port, (program,) = free_port(), needed("nginx")
        os.makedirs(f"{self.work}/files")
        self.files = {}
        for i, size in enumerate((0, 1, 1000, 4096, 65_537, 1_000_000, 5_000_000)):
            self.files[f"f{i}"] = body_of(i, size)
            with open(f"{self.work}/files/f{i}", "wb") as f:
                f.write(self.files[f"f{i}"])
        user = "user nobody nogroup;" if os.geteuid() == 0 else ""
        with open(f"{self.work}/nginx.conf", "w") as f:
            f.write(NGINX.format(work=self.work, log=self.log, port=self.port, user=user))
        self.line = [program, "-p", self.work, "-c", f"{self.work}/nginx.conf"]

    def start(self):
        self.main = self.run(self.line)
        self.await_port(self.port)

    def pids(self):
        return [self.main.pid, *process.children(self.main.pid)]

    def measured(self):
        return self.pids()

    def question(self, dice):
        name = dice.choice(list(self.files))
        return dice.choice(("/", "/copied/", "/proxied/")) + name, self.files[name]


class Runtime(Web):
    """A program of ours; the command's last word is the port."""

    rests = False

    def prepare(self):
        super().prepare()
        self.line = self.command()

    def command(self):
        raise NotImplementedError

    def start(self):
        self.port = free_port()
        self.main = self.run([*self.line, str(self.port)])
        self.await_port(self.port)


class PythonThreads(Runtime):
    name = "python-threads"

    def command(self):
        return [os.environ.get("PYTHON", sys.executable), f"{HERE}/server.py", "threads"]


class PythonAsyncio(Runtime):
    name = "python-asyncio"

    def command(self):
        return [os.environ.get("PYTHON", sys.executable), f"{HERE}/server.py", "asyncio"]


class Node(Runtime):
    name, spare_kb = "node", 200_000

    def command(self):
        return [*needed("node"), f"{HERE}/server.js"]


class Java(Runtime):
    name, spare_kb = "java", 400_000

    def command(self):
        java, _ = needed("java", "javac")  # `make tests` compiled it
        return [java, "-Xmx256m", "-cp", f"{self.build}/tests/programs/java", "Server"]


PROGRAMS = (Nginx, PythonThreads, PythonAsyncio, Node, Java)

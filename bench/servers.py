# SPDX-License-Identifier: GPL-3.0-or-later
"""Throughput of redis-server and nginx under each tool, at default settings.

Servers listen on 127.0.0.1 only, on ports that were free; each measurement
has a server of its own, and every wait has an end."""
import os
import re
import shutil
import socket
import subprocess
import time

import measure

TOOLS = ("plain", "plain again", "scprof", "scprof -c page", "uftrace", "perf", "strace", "ltrace")


class Server:
    """A server under a tool, from the moment it answers until it is gone."""

    def __init__(self, tools, tool, command, port, stop=None):
        tool = "plain" if tool == "plain again" else tool
        line, self.out = tools.wrap(tool, command)
        if not shutil.which(line[0]):
            raise measure.Failure(f"no {line[0]} here")
        self.stop = stop
        self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        if not self.answers(port):
            self.close()
            raise measure.Failure("the server does not come up under it")

    def answers(self, port):
        for _ in range(200):
            if self.process.poll() is not None:
                return False
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return True
            except OSError:
                time.sleep(0.05)
        return False

    def close(self):
        if self.stop:
            subprocess.run(self.stop, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=10, check=False)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                pass
        measure.stop_group(self.process)
        measure.Tools.forget(self.out)


def load(command, pattern, timeout):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise measure.Failure(f"the load was not done in {timeout} s") from None
    found = re.findall(pattern, done.stdout)
    if not found:
        raise measure.Failure("no throughput was reported")
    return sum(float(x) for x in found) / len(found)


def redis(tools, tool, scale):
    port = measure.free_port()
    server = Server(tools, tool, ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "",
                                  "--appendonly", "no", "--daemonize", "no", "--dir", tools.work],
                    port, ["redis-cli", "-p", str(port), "shutdown", "nosave"])
    requests = int((30_000 if tool in ("strace", "ltrace", "perf") else 600_000) * scale)
    try:
        return load(["redis-benchmark", "-h", "127.0.0.1", "-p", str(port), "-P", "16", "-n", str(requests),
                     "-t", "set,get", "--csv"], r'"(?:SET|GET)","([0-9.]+)"', 60)
    finally:
        server.close()


NGINX = """daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;
 fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
 server {{ listen 127.0.0.1:{port}; root {work}; }} }}
"""


def nginx(tools, tool, scale):
    port, work = measure.free_port(), tools.fresh()
    os.chmod(tools.work, 0o755) # the worker is another user
    os.chmod(work, 0o755)
    with open(f"{work}/nginx.conf", "w") as f:
        f.write(NGINX.format(work=work, port=port))
    with open(f"{work}/page.html", "w") as f:
        f.write("x" * 1000)
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not program:
        raise measure.Failure("no nginx here")
    server = Server(tools, tool, [program, "-p", work, "-c", f"{work}/nginx.conf"], port,
                    [program, "-p", work, "-c", f"{work}/nginx.conf", "-s", "stop"])
    seconds = max(1, round(4 * scale))
    try:
        return load(["wrk", "-t", "1", "-c", "16", "-d", f"{seconds}s", f"http://127.0.0.1:{port}/page.html"],
                    r"Requests/sec:\s+([0-9.]+)", seconds + 30)
    finally:
        server.close()
        tools.forget(work)


def bench(tools, rounds, scale):
    for title, serve in (("redis-server, redis-benchmark -P 16", redis), ("nginx, wrk -c 16, 1000 bytes", nginx)):
        steal = measure.Steal()
        variants = {tool: (lambda t=tool: serve(tools, t, scale)) for tool in TOOLS}
        results, failed = measure.interleave(variants, rounds)
        measure.header(title, "under", "requests a second", "of the plain run's")
        for tool, values in results.items():
            if tool in failed:
                measure.row(tool, failed[tool], "-")
            else:
                measure.row(tool, f"{measure.median(values):,.0f}",
                            measure.spread(measure.ratios(values, results["plain"]), "{:.3f}"))
        print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time")

# SPDX-License-Identifier: GPL-3.0-or-later
"""Throughput of redis-server and nginx under each tool, at default settings.

One server under each tool is up at the same time, on one CPU; short slices of
load, from another CPU, go to each in turn, over and over. So the drift of a
virtual machine, which is larger than what is to be measured, falls on all
alike. Beside the throughput stands the CPU time that the kernel charged to the
serving process for a request, which does not depend on the load generator.

Servers listen on 127.0.0.1 only, on ports that were free; every wait has an end."""
import os
import re
import shutil
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
        self.at_end = None # called with the folder that the tool wrote to
        self.process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        if not measure.await_port(port, self.process):
            self.close()
            raise measure.Failure("the server does not come up under it")

    def close(self):
        if self.stop:
            subprocess.run(self.stop, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=10, check=False)
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                pass
        measure.stop_group(self.process)
        try:
            if self.at_end:
                self.at_end(self.out)
        finally:
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


def pinned(cpu, line):
    return ["taskset", "-c", str(cpu), *line] if os.cpu_count() > 1 and shutil.which("taskset") else line


def charged_ns(pid):
    try:
        with open(f"/proc/{pid}/schedstat") as f:
            return int(f.read().split()[0])
    except OSError:
        return None


def is_slow(tool):
    return tool in ("strace", "ltrace", "perf")


class Redis:
    title = "redis-server, redis-benchmark -P 16 -t get"

    def __init__(self, tools, tool):
        self.port, self.tool = measure.free_port(), tool
        self.server = Server(tools, tool, pinned(0, [
            "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "",
            "--appendonly", "no", "--daemonize", "no", "--dir", tools.work]),
            self.port, ["redis-cli", "-p", str(self.port), "shutdown", "nosave"])
        info = subprocess.run(["redis-cli", "-p", str(self.port), "info", "server"], capture_output=True,
                              text=True, timeout=30, check=False).stdout
        self.pid = int(re.search(r"process_id:(\d+)", info).group(1))

    def slice(self):
        requests = 200 if self.tool == "ltrace" else 20_000 if is_slow(self.tool) else 400_000
        rate = load(pinned(1, ["redis-benchmark", "-h", "127.0.0.1", "-p", str(self.port), "-P", "16",
                               "-n", str(requests), "-t", "get", "--csv"]), r'"GET","([0-9.]+)"', 60)
        return rate, requests

    def close(self):
        self.server.close()


NGINX = """daemon off; worker_processes 1; pid {work}/nginx.pid; error_log {work}/error.log;
events {{ worker_connections 256; }}
http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;
 fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
 server {{ listen 127.0.0.1:{port}; root {work}; }} }}
"""


class Nginx:
    title = "nginx, wrk -c 16, 1000 bytes"

    def __init__(self, tools, tool):
        self.port, self.work, self.tools = measure.free_port(), tools.fresh(), tools
        os.chmod(tools.work, 0o755) # the worker is another user
        os.chmod(self.work, 0o755)
        with open(f"{self.work}/nginx.conf", "w") as f:
            f.write(NGINX.format(work=self.work, port=self.port))
        with open(f"{self.work}/page.html", "w") as f:
            f.write("x" * 1000)
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if not program:
            raise measure.Failure("no nginx here")
        line = [program, "-p", self.work, "-c", f"{self.work}/nginx.conf"]
        self.server = Server(tools, tool, pinned(0, line), self.port, [*line, "-s", "stop"])
        with open(f"{self.work}/nginx.pid") as f:
            master = f.read().strip()
        with open(f"/proc/{master}/task/{master}/children") as f:
            self.pid = int(f.read().split()[0])

    def slice(self):
        done = subprocess.run(pinned(1, ["wrk", "-t", "1", "-c", "16", "-d", "1s",
                                         f"http://127.0.0.1:{self.port}/page.html"]),
                              capture_output=True, text=True, timeout=60, check=False).stdout
        rate, requests = re.search(r"Requests/sec:\s+([0-9.]+)", done), re.search(r"(\d+) requests in", done)
        if not rate or not int(requests.group(1)):
            raise measure.Failure("no throughput was reported")
        return float(rate.group(1)), int(requests.group(1))

    def close(self):
        self.server.close()
        self.tools.forget(self.work)


def start_all(kind, tools, names):
    up, failed = {}, {}
    for tool in names:
        try:
            up[tool] = kind(tools, tool)
        except (measure.Failure, AttributeError, OSError, IndexError, subprocess.TimeoutExpired) as e:
            failed[tool] = str(e) or type(e).__name__
    return up, failed


def take_turns(up, failed, slices):
    """rates and charged ns a request, by tool, one of each a slice."""
    rates, costs = {t: [] for t in up}, {t: [] for t in up}
    for k in range(slices):
        order = list(up)
        for tool in order if k % 2 else reversed(order):
            if tool in failed:
                continue
            try:
                before = charged_ns(up[tool].pid)
                rate, requests = up[tool].slice()
                after = charged_ns(up[tool].pid)
            except (measure.Failure, subprocess.TimeoutExpired) as e:
                failed[tool] = str(e)
                continue
            rates[tool].append(rate)
            if before is not None and after is not None:
                costs[tool].append((after - before) / requests)
    return rates, costs


def bench(tools, rounds, scale, names=TOOLS, bases=()):
    """`bases`: tools that have a column of ratios, as the plain run has."""
    slices = max(3, round(8 * rounds * scale))
    for kind in (Redis, Nginx):
        steal = measure.Steal()
        up, failed = start_all(kind, tools, names)
        try:
            rates, costs = take_turns(up, failed, slices)
        finally:
            for target in up.values():
                target.close()
        measure.header(kind.title, "under", "requests a second", "of the plain run's",
                       "server's CPU ns a request", "of the plain run's", *(f"of {base}" for base in bases))
        for tool in names:
            if tool in failed:
                measure.row(tool, failed[tool], *["-"] * (3 + len(bases)))
                continue
            measure.row(tool, f"{measure.median(rates[tool]):,.0f}", middle(rates[tool], rates["plain"]),
                        f"{measure.median(costs[tool]):,.0f}", middle(costs[tool], costs["plain"]),
                        *(middle(costs[tool], costs[base]) if base in up else "-" for base in bases))
        print(f"\n{slices} slices each, medians of ratios in a slice with quartiles; "
              f"the host stole {steal.percent():.1f} % of the CPUs' time")


def middle(values, base):
    ratios = sorted(v / b for v, b in zip(values, base))
    n = len(ratios)
    if not n:
        return "-"
    return f"{measure.median(ratios):.3f} ({ratios[n // 4]:.3f} to {ratios[3 * n // 4]:.3f})"

# SPDX-License-Identifier: GPL-3.0-or-later
"""Servers and their load, for the trials of this folder."""
import re
import socket
import subprocess
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def await_port(port, process):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError("does not listen")


def wrk(port, page, seconds):
    """How many requests were answered."""
    line = ["chrt", "-f", "1", "taskset", "-c", "1", "wrk", "-c4", "-t1", f"-d{max(1, round(seconds))}", f"http://127.0.0.1:{port}/{page}"]
    said = subprocess.run(line, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    if "Non-2xx" in said:
        raise RuntimeError(said)
    return int(re.search(r"(\d+) requests in", said).group(1))

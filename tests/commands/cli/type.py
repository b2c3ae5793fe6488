#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""type.py SHELL SETUP TEXT WANTED: run the shell in a pseudo-terminal, give it SETUP, type TEXT, with
the tab key for each '?' in it and one at its end, and wait until the shell shows WANTED. The line is
not entered. Only what hangs takes two minutes. Exit status: 0 it came,
1 it did not: what came instead is printed."""
import os
import pty
import re
import select
import sys
import time

LIMIT = 120.0


def clean(data):
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\r\x07]", "", data.decode(errors="replace"))
    return re.sub(r".\x08", "", text)


def read_until(fd, wanted, limit, seen=b""):
    """`seen` and what comes, until `wanted` is in that, or for so long."""
    end = time.monotonic() + limit
    while wanted not in clean(seen) and time.monotonic() < end:
        if not select.select([fd], [], [], 0.05)[0]:
            continue
        try:
            seen += os.read(fd, 65536)
        except OSError:
            break
    return seen


def main():
    shell, setup, text, wanted = sys.argv[1:]
    arguments = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PS1="> ", COLUMNS="200", INPUTRC="/dev/null")
        os.execvp(arguments[0], arguments)
    os.write(fd, setup.encode() + b"; echo re''ady\n")
    read_until(fd, "\nready", LIMIT)
    shown = b""
    for part in re.split(r"(?<=\?)", text if text.endswith("?") else text + "?"):
        os.write(fd, part.replace("?", "\t").encode())
        shown = read_until(fd, wanted, 0.4, shown)
    shown = clean(read_until(fd, wanted, LIMIT, shown))
    os.write(fd, b"\x15exit\n")
    read_until(fd, "\0", 0.1)
    os.close(fd)
    os.waitpid(pid, 0)
    if wanted in shown:
        return 0
    print(f"no '{wanted}' in:\n{shown}")
    return 1


sys.exit(main())

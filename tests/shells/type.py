#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""type.py SHELL SETUP TEXT: run the shell in a pseudo-terminal, give it SETUP, type TEXT with the
tab key for '?', a tab at the end of a word that began after it, and print what the line became.

The line is not entered: a shell is asked what stands in it by what it shows. After each tab it is
waited until the shell has been silent for a moment, at most 10 s; a slow machine makes the test
slow, and not red."""
import os
import pty
import re
import select
import sys
import time


def drain(fd, quiet, limit=10.0, until=None):
    seen = b""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        ready, _, _ = select.select([fd], [], [], quiet)
        if not ready:
            if until is None or until in seen:
                break
            continue
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        seen += got
    return seen


def main():
    shell, setup, text = sys.argv[1:]
    arguments = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="dumb", PS1="> ", COLUMNS="200", INPUTRC="/dev/null")
        os.execvp(arguments[0], arguments)
    drain(fd, 0.5)
    os.write(fd, setup.encode() + b"; echo re''ady\n")
    drain(fd, 0.5, 20.0, b"\nready")
    shown = b""
    for part in re.split(r"(\?)", text):
        if not part:
            continue
        os.write(fd, b"\t" if part == "?" else part.encode())
        shown += drain(fd, 1.0)
    if not text.endswith("?"):
        os.write(fd, b"\t")
        shown += drain(fd, 1.0)
    os.write(fd, b"\x15exit\n")
    drain(fd, 0.3, 2.0)
    os.close(fd)
    os.waitpid(pid, 0)
    line = shown.decode(errors="replace").replace("\x07", "")
    line = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", line)
    print(re.sub(r".\x08", "", line))


main()

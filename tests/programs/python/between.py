# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to /dev/null from Python functions that C functions call, from a signal handler, a forked child and another thread."""
import os
import signal
import sys
import threading

null = os.open("/dev/null", os.O_WRONLY)


def leaf():
    os.write(null, b"x")


def back(x):
    leaf()
    return x


def through_c():
    sorted([1], key=back)


def deep(n):
    if n:
        deep(n - 1)
    else:
        leaf()


def handler(number, frame):
    leaf()


def main():
    through_c()
    deep(int(sys.argv[1]))
    signal.signal(signal.SIGUSR1, handler)
    os.kill(os.getpid(), signal.SIGUSR1)
    thread = threading.Thread(target=leaf)
    thread.start()
    thread.join()
    child = os.fork()
    if not child:
        through_c()
        os._exit(0)
    os.waitpid(child, 0)


main()

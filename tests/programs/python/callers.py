# SPDX-License-Identifier: GPL-3.0-or-later
"""callers.py SECONDS: calls of some 100 ns from three functions, a generator and a C function that calls back, for that CPU time."""
import sys
import time


def tiny(x):
    return x + 1


def middle(x):
    return tiny(x) + 1


def loops(n):
    for i in range(n):
        middle(i)


def makes(n):
    for i in range(n):
        yield tiny(i)


def takes(n):
    for x in makes(n):
        pass


def key(x):
    return tiny(-x)


def sorts(n):
    sorted(range(n), key=key)


def outer(seconds):
    while time.process_time() < seconds:
        for f in loops, takes, sorts:
            f(3000)


outer(float(sys.argv[1]))

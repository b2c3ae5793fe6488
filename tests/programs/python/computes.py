# SPDX-License-Identifier: GPL-3.0-or-later
"""computes.py SECONDS: a quarter of that CPU time each in four functions. matches() is in the interpreter's own C code, parses() in
that of a module, where json has one."""
import json
import re
import sys
import time

DOCUMENT = json.dumps([{"a": i, "b": [1.5, "x" * 20, None]} for i in range(20000)])
TEXT = "ab" * 200000 + "c"
PATTERN = re.compile("(?:a|b)*?c")


def little(until):
    total = 0
    while time.process_time() < until:
        for i in range(10000):
            total += i


class Work:
    def much(self, until):
        total = 1
        while time.process_time() < until:
            for i in range(10000):
                total = total * 3 & 65535


def matches(until):
    while time.process_time() < until:
        PATTERN.match(TEXT)


def parses(until):
    while time.process_time() < until:
        json.loads(DOCUMENT)


def outer(seconds):
    begun = time.process_time()
    little(begun + seconds / 4)
    Work().much(begun + seconds / 2)
    matches(begun + 3 * seconds / 4)
    parses(begun + seconds)


outer(float(sys.argv[1]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts wrapped calls by the Python stack that they are made from, as the interpreter tells it.

FD stands for a descriptor of /dev/null. os.pwrite asks it for its number while the call instruction is being executed: just there the
stack is taken, by the frames that traceback.extract_stack() walks, too. Nothing else in CPython calls pwrite."""
import itertools
import json
import os
import sys

NULL = os.open("/dev/null", os.O_WRONLY)
counts = {}


def remember(frame):
    """Count one call. No lock: threads, signal handlers and trace functions come in between. Each step that matters is one of C."""
    stack = []
    while frame is not None:
        stack.append((frame.f_code.co_filename, frame.f_lineno or 0, frame.f_code.co_name))
        frame = frame.f_back
    next(counts.setdefault(tuple(stack), itertools.count()))


def caller():
    """The frame that called the function which asks FD; None: C code without any Python frame did."""
    try:
        return sys._getframe(2)
    except ValueError:
        return None


class Descriptor:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        remember(caller())
        return self.number

    @property
    def _as_parameter_(self): # so ctypes asks
        remember(caller())
        return self.number


FD, BAD = Descriptor(NULL), Descriptor(-1)


def write(path):
    """[[[file, line, function], ... innermost first], calls] each."""
    rows = [[stack, next(count)] for stack, count in list(counts.items())]
    with open(path + ".new", "w") as f:
        json.dump(rows, f)
    os.rename(path + ".new", path)


os.register_at_fork(after_in_child=counts.clear)

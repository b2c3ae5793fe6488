# SPDX-License-Identifier: GPL-3.0-or-later
"""dump_lines.py [FILE...]: what the interpreter says of each instruction of all code in some
files of its standard library (without any: in all), for check_lines.

A record a code object, of native 32-bit integers: kind of table (enum python_table), first line,
bytes of the table, number of code units, bytes of the name, the line before the first instruction;
the table; the name; and for each unit line, end line, column, end column (-1: none, -2: not told),
and whether an instruction begins there (0: it is an inline cache, or the CALL after a PRECALL)."""
import array
import ctypes
import dis
import os
import sys
import sysconfig
import types

addr2line = ctypes.pythonapi.PyCode_Addr2Line
addr2line.argtypes = [ctypes.py_object, ctypes.c_int]
addr2line.restype = ctypes.c_int
KIND = 1 if sys.version_info < (3, 10) else 2 if sys.version_info < (3, 11) else 3

# What the library does not have: lines that go back, and far ahead; one line with more code than an
# entry covers; far columns; code on one line that goes on on another; code without a line.
MADE = "\n".join(
    ["def far(a):", "    return (a.", *[""] * 300, "        b.c[", "  1](", "a))"]
    + ["def wide():", "    return " + "f(x.y[0], {'k': g(1)}) + " * 200 + "0"]
    + ["def back(x):", "    return max(", "        min(x,", "            1),", "        f(", " x)", "    )"]
    + ["def ended():", "    with a as b, c as d:", "        try:", "            return b.e(d)"]
    + ["        finally:", "            d.f()", "async def later(x):", "    async for y in x:"]
    + ["        await y.z(", "", "            [i for i in y])"]
)


def numbers(*of):
    return array.array("i", of).tobytes()


def starts(code):
    found, before = set(), None
    for i in dis.get_instructions(code):
        if before != "PRECALL":
            found.add(i.offset)
        before = i.opname
    return found


def dump(code, write):
    table = code.co_lnotab if KIND == 1 else code.co_linetable
    units = len(code.co_code) // 2
    name = code.co_name.encode("utf-8", "replace")
    places = code.co_positions() if KIND == 3 else [(None, -2, -2, -2)] * units
    write(numbers(KIND, code.co_firstlineno, len(table), units, len(name), addr2line(code, -1)))
    write(table)
    write(name)
    begins = starts(code) if KIND == 3 else range(0, 2 * units, 2)
    found = []
    for unit, (_, *rest) in enumerate(places):
        found.append(addr2line(code, 2 * unit))
        found.extend(-1 if n is None else n for n in rest)
        found.append(2 * unit in begins)
    write(numbers(*found))
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            dump(constant, write)


def sources(modules):
    top = sysconfig.get_path("stdlib")
    if modules:
        return [os.path.join(top, m) for m in modules]
    return sorted(os.path.join(d, f) for d, _, files in os.walk(top) for f in files if f.endswith(".py"))


def main():
    write = sys.stdout.buffer.write
    dump(compile(MADE, "made", "exec"), write)
    for path in sources(sys.argv[1:]):
        try:
            with open(path, "rb") as f:
                code = compile(f.read(), path, "exec")
        except (SyntaxError, ValueError):  # the library's own tests have some that are none
            continue
        dump(code, write)


main()

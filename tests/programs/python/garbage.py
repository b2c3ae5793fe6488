# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes garbage into the interpreter's own memory around wrapped calls: garbage.py LIBRARY [hammer|dangling]. Prints one object:
how many calls it made, and the true stack of each [[file, line, function], ... innermost first].

Offsets are those of the headers of each version. Only words that the interpreter does not need during the call are touched."""
import ctypes
import json
import mmap
import os
import sys
import tempfile

minor = sys.version_info[1]
# state: to the frame, or to the _PyCFrame; cframe: in that, to the frame. frame: word, bytes.
STATE = 24 if minor < 11 else 56 if minor < 13 else 72
CFRAME = {11: (8, 16), 12: (0, 8)}.get(minor)
OLD = {"previous": (24, 8), "code": (32, 8), "instruction": (96 if minor == 10 else 104, 4), "type": (8, 8)}
NEW = {"code": (32 if minor == 11 else 0, 8), "previous": (48 if minor == 11 else 8, 8), "instruction": (56, 8),
       "owner": ({11: 69, 12: 70, 13: 70}.get(minor, 74), 1)}
FRAME = OLD if minor < 11 else NEW
FILENAME = 104 if minor < 11 else 112
CODE = {"type": (8, 8), "filename": (FILENAME, 8), "name": (FILENAME + 8, 8), "lines": (120 if minor < 11 else 136, 8),
        "references": (0, 8), "first": (40 if minor < 11 else 72 if minor == 11 else 68, 4)}
OBJECT = {"type": (8, 8), "size": (16, 8), "state": (32, 4), "data": (32, 8)}

library = ctypes.PyDLL(sys.argv[1])
for name in "with_garbage", "under_hammer":
    f = getattr(library, name)
    f.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_long, ctypes.c_int, ctypes.c_long]
    f.restype = ctypes.c_long
null = os.open("/dev/null", os.O_WRONLY)
calls, PER_WORD = 0, 2
state_get = ctypes.pythonapi.PyThreadState_Get
state_get.restype = ctypes.c_void_p
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def word(address):
    return ctypes.c_uint64.from_address(address).value


def page(protection=mmap.PROT_READ | mmap.PROT_WRITE, fd=-1):
    flags = mmap.MAP_PRIVATE | (mmap.MAP_ANONYMOUS if fd < 0 else 0)
    return libc.mmap(None, 8192, protection, flags, fd, 0)


def chain():
    """Addresses of the frames, innermost first, without this function's and word's."""
    at = word(state_get() + STATE)
    if CFRAME:
        at = word(at + CFRAME[0])
    found = []
    while at:
        found.append(at)
        at = word(at + FRAME["previous"][0])
    return found[2:]


def unmapped():
    address = page()
    libc.munmap(address, 8192)
    return address


def beyond_end():
    """Of a mapped file: reading there is SIGBUS."""
    with tempfile.TemporaryFile() as f:
        f.write(b"x")
        f.flush()
        return page(mmap.PROT_READ, f.fileno()) + 4096


LAST = page() + 8192 - 1
VALUES = {"one": 1, "ones": 2**64 - 1, "letters": 0x4141414141414141, "kernel": 0xffff800000000000, "low": 0x1000,
          "unmapped": unmapped(), "forbidden": page(0), "at_end": LAST + 1 - 8, "odd": LAST - 4096 + 3, "zeros": LAST - 4095,
          "beyond": beyond_end(), "object": id(mmap), "type": id(type),
          "negative": 2**63, "text": id("text" * 3)}


def words():
    """(what, address, bytes) of all that a walk from the caller's caller's frame reads."""
    frames = chain()[1:]
    yield "state", state_get() + STATE, 8
    if CFRAME:
        yield "cframe", word(state_get() + STATE) + CFRAME[0], 8
        yield "cframe previous", word(state_get() + STATE) + CFRAME[1], 8
    for depth, frame in enumerate(frames[:5]):
        for name, (offset, size) in FRAME.items():
            yield "frame %d %s" % (depth, name), frame + offset, size


def make(word_bytes, value, hammer):
    global calls
    what, address, size = word_bytes
    f = library.under_hammer if hammer else library.with_garbage
    done = f(address, value & (2 ** (8 * size) - 1), size, null, 20 if hammer else PER_WORD)
    calls += done


def one(n, value, hammer):
    """Garbage in the n-th word; None: there is none. This function's frame is the innermost of the walk (with make's)."""
    found = list(words())
    if n >= len(found):
        return None
    make(found[n], value, hammer)
    return found[n][0]


def frames_of_fresh_code(value, field, where):
    """A code object that was never seen, with garbage in it, or in its name, file name, or table."""
    global calls
    space = {"library": library, "null": null}
    exec(compile("def fresh(address, value, size):\n    return library.with_garbage(address, value, size, null, 2)\n",
                 "fresh %d" % calls, "exec"), space)
    fresh = space["fresh"]
    code = id(fresh.__code__)
    offset, size = CODE[field]
    if where is not None:
        code, (offset, size) = word(code + offset), OBJECT[where]
    calls += fresh(code + offset, value & (2 ** (8 * size) - 1), size)


def dangling():
    """The frame chain leads to garbage in memory that can be read, and then cannot any more, at the same place."""
    global calls
    frames = chain()
    for what in [(state_get() + STATE, 8), *((frames[depth] + FRAME["previous"][0], 8) for depth in (0, 1))]:
        for byte in 0, 1, 0x41, 0xff:
            at = page()
            ctypes.memset(at, byte, 8192)
            for _ in range(3):
                calls += library.with_garbage(what[0], at + 64, 8, null, 2)
            libc.munmap(at, 8192)
            for _ in range(3):
                calls += library.with_garbage(what[0], at + 64, 8, null, 2)


def main(mode):
    if mode == "dangling":
        return dangling()
    for value in VALUES.values():
        n = 0
        while one(n, value, mode == "hammer"):
            n += 1
        if mode != "hammer":
            for field in CODE:
                for where in [None, *OBJECT] if field in ("filename", "name", "lines") else [None]:
                    # What is freed when the interpreter looks is not touched; reference counts only of the code itself.
                    frames_of_fresh_code(value, field, where)


main(sys.argv[2] if len(sys.argv) > 2 else "")
print(json.dumps({"calls": calls}))

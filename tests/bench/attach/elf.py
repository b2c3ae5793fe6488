# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of a process that its dynamic linker binds by, read from outside: the relocations with a symbol
of all mapped objects (x86-64 and AArch64)."""
import struct

import process

POINTER_TYPES = {62: (1, 6, 7), 183: (257, 1025, 1026)} # R_*_64, GLOB_DAT, JUMP_SLOT
JUMP_SLOT = {62: 7, 183: 1026}


class Memory:
    def __init__(self, pid):
        self.file = open(f"/proc/{pid}/mem", "rb", 0)

    def read(self, at, size):
        try:
            self.file.seek(at)
            return self.file.read(size)
        except (OSError, ValueError, OverflowError):
            return b""

    def word(self, at):
        data = self.read(at, 8)
        return struct.unpack("<Q", data)[0] if len(data) == 8 else None

    def close(self):
        self.file.close()


def program_headers(data, base):
    """machine, where the object is placed, and its segments (type, flags, address, size)."""
    if len(data) < 64 or data[:5] != b"\x7fELF\x02":
        return None
    kind, machine = struct.unpack_from("<HH", data, 16)
    at, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = []
    for i in range(count):
        if at + (i + 1) * size <= len(data):
            type_, flags, _, address, _, _, length = struct.unpack_from("<IIQQQQQ", data, at + i * size)
            segments.append((type_, flags, address, length))
    first = min((s[2] for s in segments if s[0] == 1), default=0) & ~4095
    return machine, (base - first if kind == 3 else 0), segments


def dynamic(memory, bias, segments):
    found = {}
    for type_, _, address, length in segments:
        if type_ == 2:
            data = memory.read(bias + address, length)
            for tag, value in struct.iter_unpack("<qQ", data[:len(data) // 16 * 16]):
                found[tag] = value
    return found


def placed(value, bias):
    """glibc writes addresses into some objects' dynamic sections, others it leaves."""
    return value if value >= bias else value + bias


def symbol_name(memory, found, bias, index):
    entry = memory.read(placed(found[6], bias) + 24 * index, 24)
    if len(entry) < 24:
        return "?", 0
    name, _, _, _, value, _ = struct.unpack("<IBBHQQ", entry)
    text = memory.read(placed(found[5], bias) + name, 80)
    return text.split(b"\0")[0].decode(errors="replace"), value


def slots_of(memory, base, path):
    """{address: (object, symbol, whether it is bound lazily)}"""
    head = program_headers(memory.read(base, 4096), base)
    if not head or head[0] not in POINTER_TYPES:
        return {}
    machine, bias, segments = head
    found, slots = dynamic(memory, bias, segments), {}
    if 5 not in found or 6 not in found:
        return {}
    for table, size in ((7, 8), (23, 2)): # DT_RELA, DT_JMPREL
        if table not in found:
            continue
        data = memory.read(placed(found[table], bias), found.get(size, 0))
        for offset, info, _ in struct.iter_unpack("<QQq", data[:len(data) // 24 * 24]):
            if info & 0xffffffff in POINTER_TYPES[machine]:
                name = symbol_name(memory, found, bias, info >> 32)[0]
                slots[bias + offset] = (path, name, info & 0xffffffff == JUMP_SLOT[machine])
    return slots


def slots(pid, without=("libscprof",)):
    """{address: (object, symbol, lazy, value)} of all objects of the process."""
    memory, found = Memory(pid), {}
    for first, _, _, offset, path in process.maps(pid):
        if offset == 0 and (path.startswith("/") or path == "[vdso]") and not any(w in path for w in without):
            for at, (where, name, lazy) in slots_of(memory, first, path).items():
                found[at] = (where, name, lazy, memory.word(at))
    memory.close()
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""What /proc says of a process: figures that must not grow, and states that must not stay."""
import os
import time


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def status(pid):
    lines = (line.partition(":") for line in read(f"/proc/{pid}/status").splitlines())
    return {name: value.strip() for name, _, value in lines}


def is_there(pid):
    """One that is ending has given back its memory some time before it is a zombie."""
    found = status(pid)
    return found.get("State", "Z")[0] not in "ZX" and "VmSize" in found


def figures(pid):
    """kB, kB, descriptors, threads."""
    found = status(pid)
    try:
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        descriptors = 0
    kb = lambda name: int(found.get(name, "0").split()[0])
    return {"VmRSS": kb("VmRSS"), "VmSize": kb("VmSize"), "fds": descriptors, "threads": int(found.get("Threads", 0))}


def children(pid):
    found = []
    for task in tasks(pid):
        found += [int(p) for p in read(f"/proc/{pid}/task/{task}/children").split()]
    return found


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child, *descendants(child)]
    return found


def tasks(pid):
    try:
        return [int(t) for t in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def held(pid):
    """What keeps threads of it: a tracer, or a stop; "" for nothing."""
    for task in tasks(pid):
        found = status(f"{pid}/task/{task}")
        if found.get("TracerPid", "0") != "0":
            return f"thread {task} of {pid} is traced by {found['TracerPid']}"
        if found.get("State", "S")[0] in "Tt":
            return f"thread {task} of {pid} is stopped"
    return ""


def held_for_good(pid, seconds=60):
    """As held(), but a tracer that is just being torn down is given time, on a busy machine, too."""
    until = time.monotonic() + seconds
    while (found := held(pid)) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def maps(pid):
    """(first, last, permissions, offset, path) of each mapping."""
    found = []
    for line in read(f"/proc/{pid}/maps").splitlines():
        words = line.split(None, 5)
        first, last = (int(x, 16) for x in words[0].split("-"))
        found.append((first, last, words[1], int(words[2], 16), words[5] if len(words) > 5 else ""))
    return found


def descriptors(pid):
    found = {}
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            found[int(fd)] = os.readlink(f"/proc/{pid}/fd/{fd}")
    except OSError:
        pass
    return found


def leftovers(pids, work):
    """Files of ours that belong to nobody: in the shared folders those that name scprof and one of these processes;
    in the tool's own, which is its TMPDIR, all but finished profiles."""
    found = []
    for folder in {"/dev/shm", "/tmp", work}:
        for name in os.listdir(folder):
            known = any(str(p) in name.replace("-", ".").split(".") for p in pids)
            if "scprof" in name and (known if folder != work else not name.endswith(".scp")):
                found.append(f"{folder}/{name}")
    return sorted(found)

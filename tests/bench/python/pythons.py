# SPDX-License-Identifier: GPL-3.0-or-later
"""The interpreters of this machine that scprof may be tried on: $PYTHONS (a list, by blanks), or /usr/bin/python3.N and those of
~/.pyenv, each version of them."""
import glob
import os
import re
import subprocess

FIRST, LAST = 8, 13 # 3.8 to 3.13


def found():
    """Paths, each file once."""
    if os.environ.get("PYTHONS"):
        return os.environ["PYTHONS"].split()
    paths = {}
    for pattern in ("/usr/bin/python3.*", os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")):
        for path in sorted(glob.glob(pattern)):
            if re.search(r"python3(\.\d+)?$", path) and FIRST <= version(path)[1] <= LAST:
                paths.setdefault(os.path.realpath(path), path)
    return sorted(paths.values(), key=version)


def version(path):
    """(3, minor, micro); (0, 0, 0) of what does not run."""
    line = [path, "-c", "import sys; print(*sys.version_info[:3])"]
    try:
        return tuple(map(int, subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.split())) or (0, 0, 0)
    except (OSError, ValueError):
        return (0, 0, 0)


def name(path):
    """Such as 3.11.7, or 3.11.2-debian."""
    return ".".join(map(str, version(path))) + ("" if "/.pyenv/" in path else "-" + path.strip("/").replace("/", "-"))

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the other formats must say, worked out from the JSON report of the same
profile: JSON keeps every name as it is, the others cannot."""
import json
import re

HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def clean(text):
    """Control characters as the line formats write them. Where the name was no
    UTF-8, JSON has one U+FFFD a byte; see same()."""
    return HARMFUL.sub(lambda m: ("\\x%02x" if ord(m[0]) < 0x80 else "\\u{%x}") % ord(m[0]), text)


def same(text):
    """Two texts are compared without what clean() cannot know."""
    return re.sub(r"\\x[89a-f][0-9a-f]", "\ufffd", text)


def base(path):
    return path.rsplit("/", 1)[-1] if "/" in path and not path.endswith("/") else path


def frame_name(frame):
    if frame["function"] is not None:
        return clean(frame["function"]) or "(unnamed)"
    if frame["module"] is None:
        return "0x%x" % frame["offset"]
    return clean("%s+0x%x" % (base(frame["module"]), frame["offset"]))


ENDS = {
    "complete": [],
    "not-kept": ["(no room: path not kept)"],
    "caller-only": ["(caller only: its stack had no room to look further)"],
    "cut": ["(cut here: no unwind information)"],
    "truncated": ["(deeper: outer frames not kept)"],
    "python-cut": ["(Python frames are missing)"],
}


def leaf_name(site, with_outcome):
    name = site["symbol"]
    if with_outcome and site["outcome"] not in ("completed", "any"):
        name += " (%s)" % site["outcome"]
    return clean(name) or "(unnamed)"


def stack(site, with_outcome=True):
    """Names, innermost first."""
    return [leaf_name(site, with_outcome)] + [frame_name(f) for f in site["stack"]] + ENDS[site["path"]]


def time_ns(site):
    return max(0, int(site["total_ns"] + 0.5)) if site["total_ns"] > 0 else 0


def uncharged_ns(site):
    """What all its calls cost by displacement, where that is known."""
    return max(0, int(site["uncharged_ns"] * site["calls"] + 0.5)) if site["uncharged_ns"] is not None else 0


STATES = ("on_cpu", "runnable", "asleep")


def states_ns(site):
    """The parts of its time, in proportion to their means; those below 0 are none of it."""
    means = [site["states"][part]["mean_ns"] for part in STATES] if site["states"] else [None]
    if None in means or site["total_ns"] <= 0 or not any(m > 0 for m in means):
        return [0, 0, 0]
    whole = sum(max(m, 0) for m in means)
    return [max(0, int(site["total_ns"] * m / whole + 0.5)) if m > 0 else 0 for m in means]


def has_states(sites):
    return 3 * any(s["states"] is not None for s in sites)


def has_costs(sites):
    return any(s["displacement"] is not None for s in sites)


def near(a, b):
    """JSON has 15 digits of a time: its rounding may differ in the last one."""
    return abs(a - b) <= 1


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)

# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a run must be until `scprof diff` finds a change, from a short run of the same program."""
import json
import math
import subprocess

# The standard errors of the pilot are estimates, and those of a later run may be larger.
RESERVE = 1.3


def times(scprof, pilot, percent):
    """So many times the pilot: for a change of PERCENT at any one site, 95 times in 100. The pilot compared
    with itself has the standard errors of two such runs, which fall with the square root of the calls."""
    done = subprocess.run([scprof, "diff", "--json", "--full", pilot, pilot], stdout=subprocess.PIPE, check=True)
    d = json.loads(done.stdout)
    margin = math.log1p(d["threshold"])
    room = math.log1p(percent / 100) - margin
    for quantity in ("cpu", "elapsed"):
        now = [s[quantity]["detectable"] for s in d["sites"] if s[quantity]["detectable"]]
        if now:
            return max([1] + [RESERVE * ((math.log(n) - margin) / room) ** 2 for n in now])
    raise SystemExit(f"no site of {pilot} can be compared")

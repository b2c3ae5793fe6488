# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that nobody here wrote, each with work of a second or less that is always the same:
they allocate from thousands of call paths, half of them taken once."""
import os
import random
import shutil
import subprocess
import sys
from typing import NamedTuple

import measure

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
SMALL = "cli/cmd_serve.c" # about 9,000 lines with the system's headers

PYTHON = """
import json, re
users = [{"id": i, "name": f"user{i}", "tags": [str(i * k) for k in range(6)], "v": {"x": i / 3, "y": None}} for i in range(3000)]
for indent in range(4):
    text = json.dumps(users, indent=indent)
    json.dumps(json.loads(text), sort_keys=True)
    re.findall(r'"(\\w+)":\\s*("[^"]*"|\\d+)', text)
    re.sub(r"(\\d+)", lambda m: m[1][::-1], text)
for i in range(200):
    re.compile(rf"(a|b{i})+[c-z{i}]*(?P<n>\\d{{2,{i + 3}}})|x?y{i}").match("abacus")
"""

SQL = """
create table t(a integer primary key, b text, c real, d text);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
insert into t select i, 'name ' || (i * 7919 % 30011), i / 3.0, hex(i * i) from n;
commit;
create index t_b on t(b, c);
create table u as select b, count(*) as n, avg(c) as m from t group by substr(b, 1, 7);
select t.d, u.m from t join u on t.b = u.b where t.c > 100 order by t.d limit 50;
select group_concat(b) from (select distinct substr(d, 1, 3) as b from t order by b desc);
"""


class Workload(NamedTuple):
    line: list
    stdin: str = None # a file


def generated_function(dice, n):
    """Loops, branches, a switch and calls of the functions before: what an optimizer works on."""
    terms = ["a", "b", "s->x", "s->y[i & 15]", f"{dice.randrange(1, 99)}", "t"]

    def value(depth=0):
        if depth > 2 or dice.random() < 0.3:
            return dice.choice(terms)
        return f"({value(depth + 1)} {dice.choice('+-*^&|')} {value(depth + 1)})"
    cases = "\n".join(f"\t\tcase {k}:\n\t\t\tt += {value()};\n\t\t\tbreak;" for k in range(dice.randrange(3, 9)))
    before = f"\tt ^= generated_{dice.randrange(n)}(s, b, t & 7);\n" if n else ""
    return (f"static long generated_{n}(struct generated *s, long a, long b)\n{{\n\tlong t = {value()};\n"
            f"\n\tfor (long i = 0; i < (b & 63); i++) {{\n\t\tif ({value()} > {value()})\n\t\t\ts->y[i & 15] = {value()};\n"
            f"\t\tswitch ((t + i) & 7) {{\n{cases}\n\t\tdefault:\n\t\t\ts->x -= {value()};\n\t\t}}\n\t}}\n"
            f"{before}\treturn t + {value().replace('i & 15', 'a & 15')};\n}}\n")


def generated(functions):
    dice = random.Random(functions)
    text = "struct generated {\n\tlong x, y[16];\n};\n"
    text += "\n".join(generated_function(dice, n).replace("long t = ", "long i = a, t = ", 1) for n in range(functions))
    return text + f"long generated_all(struct generated *s)\n{{\n\treturn generated_{functions - 1}(s, s->x, 9);\n}}\n"


def preprocessed(out, name, functions):
    """A source of this project with the system's headers, and so many functions after it."""
    try:
        text = subprocess.run(["gcc", "-E", "-D_GNU_SOURCE", f"-I{SOURCE}", f"{SOURCE}/{SMALL}"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True).stdout
        compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        raise measure.Failure("no gcc here, or not the headers") from None
    if functions:
        text += generated(functions)
    path = written(out, name, text)
    lines = text.count("\n")
    return f"cc1 -O2, {lines:,} lines", Workload([compiler, "-quiet", "-fpreprocessed", "-O2", path, "-o", "/dev/null"])


def written(out, name, text):
    path = f"{out}/{name}"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def history(scale):
    """A commit that stays: so many after the first."""
    git = ["git", "-C", SOURCE, "--no-pager"]
    commits = subprocess.run([*git, "rev-list", "--first-parent", "--reverse", "HEAD"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()
    if not commits:
        raise measure.Failure("no history here")
    count = max(10, int(300 * scale))
    return Workload([*git, "log", "-p", "--stat", commits[min(count, len(commits)) - 1]])


def all_of(out, scale):
    """{title: Workload or the Failure to make it}, with the files that they need in `out`."""
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    makers = {
        "small": lambda: preprocessed(out, "small.i", 0),
        "large": lambda: preprocessed(out, "large.i", int(800 * scale)),
        "python": lambda: ("python3, json and re", Workload([python, written(out, "work.py", PYTHON)])),
        "git": lambda: ("git log -p", history(scale)),
        "sqlite": lambda: ("sqlite3", Workload(["sqlite3", "-batch", "work.db"], written(out, "work.sql", SQL))),
    }
    found = {}
    for name, make in makers.items():
        try:
            title, workload = make()
            if not shutil.which(workload.line[0]):
                raise measure.Failure(f"no {workload.line[0]} here")
            found[title] = workload
        except measure.Failure as reason:
            found[name] = reason
    return found

# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the intervals of what is computed between calls hold the truth? Ten functions of 1 to 30 % of a program's
CPU time, each a chain of as many multiplications, as several languages make them. Programs whose virtual
machine has CPU time of its own are judged by the functions' shares among themselves."""
import contextlib
import math
import os
import re
import shutil
import subprocess

import known
import measure

SHARES = (30, 20, 15, 10, 8, 6, 5, 3, 2, 1)
STEPS = 8_000  # of a percent in a round
ROUNDS = 260  # a second at 3 GHz
Z = 1.959964


def c_functions(keyword="__attribute__((noinline)) ", throws=False):
    end = "throw (int)x;" if throws else "return x;"
    return "".join(f"{keyword}unsigned f{i}(unsigned x, long n) {{ while (n--) x = x * 1664525u + 1013904223u; {end} }}\n"
                   for i in range(1, 11))


def c_calls(form):
    return "".join(form.format(i=i, n=share * STEPS) for i, share in enumerate(SHARES, 1))


C = c_functions() + ("__attribute__((noinline)) unsigned work(unsigned x) { " + c_calls("x = f{i}(x, {n}); ") + "return x; }\n")
MAIN = "int main(int c, char **v) {{ unsigned x = c; for (int i = atoi(v[1]); i--;) x = {work}(x); return x == 1; }}\n"
# what its thread's own clock says of each function is the truth
CLOCKED = ("#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n" + c_functions()
           + "static double took[11]; static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); "
           "return t.tv_sec + t.tv_nsec * 1e-9; }\n__attribute__((noinline)) unsigned work(unsigned x) { double at = now(), then; "
           + c_calls("x = f{i}(x, {n}); then = now(); took[{i}] += then - at; at = then; ") + "return x; }\n"
           "int main(int c, char **v) { unsigned x = c; double all = now(); for (int i = atoi(v[1]); i--;) x = work(x); all = now() - all; "
           "for (int i = 1; i < 11; i++) printf(\"%.6f \", took[i] / all); return x == 1; }\n")
LOADER = ("#include <dlfcn.h>\n#include <stdlib.h>\nstatic unsigned visit(unsigned x, const char *name) { void *l = dlopen(name, RTLD_NOW); "
          "for (int i = 0; i < 26; i++) x = ((unsigned (*)(unsigned))dlsym(l, \"work\"))(x); dlclose(l); return x; }\n"
          "int main(int c, char **v) { unsigned x = c; for (int i = atoi(v[1]) / 26; i--;) x = visit(x, v[2]); return x == 1; }\n")
CXX = ("#include <cstdlib>\n" + c_functions(throws=True) + "__attribute__((noinline)) unsigned work(unsigned x) { "
       + c_calls("try {{ f{i}(x, {n}); }} catch (int y) {{ x = y; }} ") + "return x; }\n" + MAIN.format(work="work"))
RUST = ("".join(f"#[inline(never)] fn f{i}(mut x: u32, n: u64) -> u32 {{ for _ in 0..n {{ x = std::hint::black_box(x.wrapping_mul(1664525)"
                f".wrapping_add({1013904223 + i})); }} x }}\n" for i in range(1, 11))
        + "fn main() { let mut x = 1; for _ in 0..std::env::args().nth(1).unwrap().parse().unwrap() { "
        + c_calls("x = f{i}(x, {n}); ") + "} std::process::exit((x == 1) as i32) }\n")
JAVA = ("public class Shares {\n" + "".join(f"static int f{i}(int x, int n) {{ while (n-- > 0) x = x * 1664525 + 1013904223; return x; }}\n"
                                            for i in range(1, 11))
        + "public static void main(String[] v) { int x = 1; for (int i = Integer.parseInt(v[0]); i-- > 0;) { "
        + c_calls("x = f{i}(x, {n}); ") + "} System.exit(x == 1 ? 1 : 0); } }\n")
NODE = ("".join(f"function f{i}(x, n) {{ while (n-- > 0) x = (Math.imul(x, 1664525) + 1013904223) | 0; return x; }}\n"
                for i in range(1, 11))
        + "let x = 1; for (let i = +process.argv[2]; i-- > 0;) { " + c_calls("x = f{i}(x, {n}); ") + "}\nprocess.exit(+(x === 1))\n")


class Variant:
    def __init__(self, folder, name, source, build, command, machine=False):
        self.folder, self.name, self.command, self.machine = folder, name, command, machine
        suffix, text = source
        self.source = f"{folder}/Shares.{suffix}"
        with open(self.source, "w", encoding="ascii") as f:
            f.write(text)
        for line in build:
            line = [part.format(source=self.source, folder=folder) for part in line]
            if not shutil.which(line[0]):
                raise measure.Failure(f"no {line[0]} here")
            subprocess.run(line, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    def line(self, rounds):
        return [part.format(folder=self.folder, source=self.source, rounds=rounds) for part in self.command]


def variants(tools):
    plain = "#include <stdlib.h>\n" + C + MAIN.format(work="work")
    cc, program = ["gcc", "-O2", "-o", "{folder}/p", "{source}"], ["{folder}/p", "{rounds}"]
    # without inlining, so that each function is one to the machine, too
    return {
        "C": (("c", plain), [cc], program),
        "C, its own clock": (("c", CLOCKED), [cc], program),
        "C, frame pointers": (("c", plain), [[*cc, "-fno-omit-frame-pointer"]], program),
        "C, no unwind tables": (("c", plain), [[*cc, "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]], program),
        "C, stripped": (("c", plain), [[*cc, "-rdynamic", "-s"]], program),
        "library, closed again": (("c", LOADER), [["gcc", "-O2", "-shared", "-fPIC", "-o", "{folder}/l.so", f"{tools.work}/l.c"], cc],
                                  [*program, "{folder}/l.so"]),
        "C++, exceptions": (("cc", CXX), [["g++", *cc[1:]]], program),
        "Rust": (("rs", RUST), [["rustc", "-O", "-o", "{folder}/p", "{source}"]], program),
        "Java": (("java", JAVA), [["javac", "-d", "{folder}", "{source}"]],
                 ["java", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit", "-XX:-Inline", "-cp", "{folder}", "Shares", "{rounds}"], True),
        "Node": (("js", NODE), [], ["node", "--perf-basic-prof", "--no-logfile-per-isolate", "--logfile={folder}/v8.log", "--max-inlined-bytecode-size=0", "{source}", "{rounds}"], True),
    }


def wilson(count, of):
    p, z = count / of, Z * Z / of
    middle, half = (p + z / 2) / (1 + z), Z * math.sqrt(p * (1 - p) / of + z / of / 4) / (1 + z)
    return middle - half, middle + half


class Tally:
    def __init__(self):
        self.held, self.of, self.samples, self.missing, self.cut, self.lost = [0] * 10, 0, 0, 0, 0, 0

    def add(self, computing, among, shares):
        found = {}
        for r in computing["rows"]:
            m = re.search(r"\bf(\d+)\b", r["brief"] if "brief" in r else r["function"] or "")
            if m:
                found.setdefault(int(m[1]), []).append(r)
        all_of = sum(r["samples"] for rows in found.values() for r in rows)
        self.of += 1
        self.samples += computing["samples"]
        self.cut += computing["cut"]
        self.lost += computing["lost"]
        for i, share in enumerate(shares, 1):
            rows = found.get(i, [])
            self.missing += not rows
            low, high = (rows[0]["share_low"], rows[0]["share_high"]) if len(rows) == 1 and not among else \
                wilson(sum(r["samples"] for r in rows), max(all_of, 1))
            self.held[i - 1] += low <= share <= high


def bench(tools, runs, scale):
    rounds = max(int(ROUNDS * scale), 26)
    with open(f"{tools.work}/l.c", "w", encoding="ascii") as f:
        f.write(C)
    measure.header(f"Ten functions of 1 to 30 %, {runs} runs with --sample 1ms",
                   "program", "truth is inside", "of each, 30 to 1 %", "samples a run", "functions without a row", "paths cut", "lost")
    wanted = os.environ.get("SHARES_OF")
    for name, what in variants(tools).items():
        if wanted and name not in wanted.split(";"):
            continue
        tally = Tally()
        try:
            v = Variant(tools.fresh(), name, *what)
            for _ in range(runs):
                text, report, _ = known.watched(tools, "--sample 1ms", v.line(rounds))
                if report["computing"] is None:
                    raise measure.Failure("there are no samples here")
                tally.add(report["computing"], v.machine, [float(share) for share in text.split()] or [share / 100 for share in SHARES])
                for process in report["processes"]: # what virtual machines write for perf
                    with contextlib.suppress(FileNotFoundError):
                        os.remove(f"/tmp/perf-{process['pid']}.map")
        except (measure.Failure, subprocess.CalledProcessError) as reason:
            measure.row(name, f"not measured: {reason}")
            continue
        measure.row(name, known.share(sum(tally.held), 10 * tally.of), " ".join(map(str, tally.held)),
                    f"{tally.samples / tally.of:.0f}", tally.missing, f"{100 * tally.cut / max(tally.samples, 1):.1f} %", tally.lost)

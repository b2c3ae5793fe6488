# SPDX-License-Identifier: GPL-3.0-or-later
"""What one call costs the program that makes it, under each tool that can watch it, each at the
settings that cost least for that purpose (docs/performance.md). The program times itself, so
what a tool does beside it, on another CPU or afterwards, is not in the figures.

Probes by perf are made before the rounds and removed after them, whatever happens."""
import contextlib
import re
import shutil
import subprocess

import measure

FUNCTION = "empty_chosen"
GROUP = "scprof_bench"
# bpftrace: how long each call takes, as a histogram; and by the stack of its caller.
LATENCY = ("{enter} {{ @s[tid] = nsecs; }} {leave} /@s[tid]/ {{ {keep} delete(@s[tid]); }}")
HISTOGRAM, BY_STACK = "@ns = hist(nsecs - @s[tid]);", "@ns[ustack] = stats(nsecs - @s[tid]);"
VERSIONS = (["uftrace", "--version"], ["ltrace", "--version"], ["strace", "--version"], ["perf", "--version"],
            ["bpftrace", "--version"], ["valgrind", "--version"], ["heaptrack", "--version"], ["gprof", "--version"])


@contextlib.contextmanager
def probed(library):
    """Probes at the function's entry and return, for perf; yields None where there are none."""
    def perf(*arguments):
        return subprocess.run(["perf", "probe", "-q", *arguments], capture_output=True, check=False).returncode == 0
    try:
        ready = bool(shutil.which("perf")) and \
            perf("-x", library, "--add", f"{GROUP}:enter={FUNCTION}") and \
            perf("-x", library, "--add", f"{GROUP}:leave={FUNCTION}%return")
        yield f"{GROUP}:enter,{GROUP}:leave__return" if ready else None
    finally:
        if shutil.which("perf"):
            perf("--del", f"{GROUP}:*")


class Variants:
    """Command lines of one program in one mode; each becomes a function that returns ns a call."""

    def __init__(self, tools, mode, many, calls_a_turn=1):
        self.tools, self.mode, self.many, self.turn = tools, mode, many, calls_a_turn
        self.program = tools.program("bench/deep_call")
        self.table = {}

    def add(self, title, line, calls, program=None):
        """`line` is a function of the folder to write to; the program makes 21 repetitions, 10 calls at least."""
        def once():
            out = self.tools.fresh()
            command = [program or self.program, self.mode, str(max(210, int(calls)))]
            text = self.tools.output_of(line(out) + command, out)
            found = re.search(r"^(\d+\.\d+)$", text, re.M)
            if not found:
                raise measure.Failure("the program said nothing")
            return float(found.group(1)) / self.turn
        self.table[title] = once

    def add_bpftrace(self, title, text, calls):
        program = f"{self.program} {self.mode} {max(210, int(calls))}"

        def once():
            out = self.tools.fresh()
            said = self.tools.output_of(["bpftrace", "-o", f"{out}/o", "-e", text, "-c", program], out)
            found = re.search(r"^(\d+\.\d+)$", said, re.M)
            if not found:
                raise measure.Failure("the program said nothing")
            return float(found.group(1)) / self.turn
        self.table[title] = once

    def scprof(self, title, *options):
        scprof = self.tools.program("scprof")
        self.add(title, lambda out: [scprof, "run", *options, "--no-report", "-o", f"{out}/p.scp", "--"], self.many)


def uftrace(out, *options):
    return ["uftrace", "record", "--force", "--no-pager", "-d", f"{out}/d", *options]


def library_call(tools, scale, events):
    v = Variants(tools, "chosen", 10_000_000 * scale)
    library = tools.program("bench/libempty.so")
    some, few, fewest = 1_000_000 * scale, 200_000 * scale, 10_000 * scale
    v.add("no tool", lambda out: [], v.many)
    v.scprof("scprof -s, page clock", "-c", "page", "-s", f"libempty.so:{FUNCTION}")
    v.scprof("scprof -s, tsc", "-c", "tsc", "-s", f"libempty.so:{FUNCTION}")
    v.add("perf record -F 999 -g: samples, counts no calls",
          lambda out: ["perf", "record", "-q", "-F", "999", "-g", "-o", f"{out}/o", "--"], v.many)
    pg = tools.program("bench/deep_call_pg")
    v.add("gprof: rebuilt with -pg", lambda out: [], v.many, program=pg)
    v.add("uftrace, library calls", uftrace, some)
    v.add("uftrace -F, this function only", lambda out: uftrace(out, "-F", FUNCTION), some)
    v.add("uftrace -F, rebuilt with -pg", lambda out: uftrace(out, "--no-libcall", "-F", FUNCTION), some, program=pg)
    v.add("callgrind", lambda out: ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}/o"], some)
    if events:
        v.add("perf stat, uprobe at entry only", lambda out: ["perf", "stat", "-o", f"{out}/o", "-e", events.split(",")[0]], few)
        v.add("perf stat, uprobe and uretprobe", lambda out: ["perf", "stat", "-o", f"{out}/o", "-e", events], few)
        v.add("perf record -g, uprobe and uretprobe",
              lambda out: ["perf", "record", "-q", "-g", "-o", f"{out}/o", "-e", events, "--"], few)
    probes = {"enter": f"uprobe:{library}:{FUNCTION}", "leave": f"uretprobe:{library}:{FUNCTION}"}
    v.add_bpftrace("bpftrace, count", probes["enter"] + " { @n = count(); }", few)
    v.add_bpftrace("bpftrace, latencies", LATENCY.format(keep=HISTOGRAM, **probes), few)
    v.add_bpftrace("bpftrace, latencies by stack", LATENCY.format(keep=BY_STACK, **probes), few)
    v.add("ltrace -c -e", lambda out: ["ltrace", "-c", "-o", f"{out}/o", "-e", FUNCTION], fewest)
    return v.table


def system_call(tools, scale, _):
    v = Variants(tools, "socket", 3_000_000 * scale, 2)
    few, fewest = 200_000 * scale, 20_000 * scale
    v.add("no tool", lambda out: [], v.many)
    v.scprof("scprof, page clock", "-c", "page")
    v.scprof("scprof, tsc", "-c", "tsc")
    v.add("perf stat, both tracepoints of each call",
          lambda out: ["perf", "stat", "-o", f"{out}/o", "-e", "syscalls:sys_enter_write,syscalls:sys_exit_write,"
                       "syscalls:sys_enter_read,syscalls:sys_exit_read"], few)
    v.add("perf trace -s", lambda out: ["perf", "trace", "-s", "-o", f"{out}/o", "--"], few)
    v.add("perf trace -s -e read,write", lambda out: ["perf", "trace", "-s", "-e", "read,write", "-o", f"{out}/o", "--"], few)
    points = {"enter": "tracepoint:syscalls:sys_enter_write,tracepoint:syscalls:sys_enter_read /pid == cpid/",
              "leave": "tracepoint:syscalls:sys_exit_write,tracepoint:syscalls:sys_exit_read"}
    v.add_bpftrace("bpftrace, latencies", LATENCY.format(keep="@ns[probe] = hist(nsecs - @s[tid]);", **points), few)
    v.add_bpftrace("bpftrace, latencies by stack", LATENCY.format(keep=BY_STACK, **points), few)
    v.add("uftrace, library calls", uftrace, few)
    v.add("strace -c", lambda out: ["strace", "-c", "-o", f"{out}/o"], fewest)
    v.add("strace -c -f --seccomp-bpf -e read,write",
          lambda out: ["strace", "-c", "-f", "--seccomp-bpf", "-e", "trace=read,write", "-o", f"{out}/o"], fewest)
    v.add("ltrace -c -e", lambda out: ["ltrace", "-c", "-o", f"{out}/o", "-e", "read+write"], fewest)
    return v.table


def allocation(tools, scale, _):
    v = Variants(tools, "malloc", 10_000_000 * scale, 2)
    some, few, fewest = 1_000_000 * scale, 200_000 * scale, 10_000 * scale
    v.add("no tool", lambda out: [], v.many)
    v.scprof("scprof -g alloc, page clock", "-c", "page", "-g", "alloc")
    v.scprof("scprof -g alloc, tsc", "-c", "tsc", "-g", "alloc")
    v.add("uftrace -F malloc -F free", lambda out: uftrace(out, "-F", "malloc", "-F", "free"), some)
    v.add("heaptrack --raw", lambda out: ["heaptrack", "--raw"], some)
    libc = "uprobe:/lib/x86_64-linux-gnu/libc.so.6"
    v.add_bpftrace("bpftrace, count", f"{libc}:malloc,{libc}:free {{ @n[probe] = count(); }}", few)
    v.add_bpftrace("bpftrace, sizes by stack", f"{libc}:malloc {{ @n[ustack] = sum(arg0); }} {libc}:free {{ @f = count(); }}", few)
    v.add("ltrace -c -e", lambda out: ["ltrace", "-c", "-o", f"{out}/o", "-e", "malloc+free"], fewest)
    return v.table


TABLES = {"compare-library": ("A call of an empty library function, 15 frames deep", library_call),
          "compare-system": ("A system call: one byte through a pair of sockets", system_call),
          "compare-malloc": ("malloc and free of 64 bytes, a call", allocation)}


def versions():
    for command in VERSIONS:
        if shutil.which(command[0]):
            said = subprocess.run(command, capture_output=True, text=True, check=False)
            yield (said.stdout or said.stderr).strip().splitlines()[0]


def bench(tools, name, rounds, scale):
    title, make = TABLES[name]
    steal = measure.Steal()
    with probed(tools.program("bench/libempty.so")) as events:
        results, failed = measure.interleave(make(tools, scale, events), rounds)
    measure.header(title, "tool", "ns a call", "added, ns", "times what scprof adds")
    base = results["no tool"]
    added = {tool: measure.median([v - b for v, b in zip(values, base)]) for tool, values in results.items() if values}
    ours = next(cost for tool, cost in added.items() if tool.startswith("scprof") and tool.endswith("tsc"))
    for tool, values in results.items():
        if tool in failed:
            measure.row(tool, failed[tool], "-", "-")
            continue
        measure.row(tool, measure.spread(values, "{:,.1f}"), f"{added[tool]:,.1f}",
                    "-" if tool == "no tool" else f"{added[tool] / ours:,.2f}")
    print(f"\n{rounds} rounds; the host stole {steal.percent():.1f} % of the CPUs' time\n\n" + "; ".join(versions()))

# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU time that watching every allocation adds to programs with very many call paths, beside
heaptrack, which walks the stack at each allocation likewise. The library alone records none: only the
tool makes stubs for alloc, which is a group of selected functions. Of each round the four ways are taken
one after the other, and differences and ratios within it."""
import glob
import os
import shutil
import subprocess

import measure
import workloads

HEAPTRACK = "/usr/lib/heaptrack/libheaptrack_preload.so"
PEER, PEER_ALL, RUN = "heaptrack", "heaptrack --raw", "scprof run"


def only_profile(out):
    found = glob.glob(f"{out}/*.scp")
    if len(found) != 1:
        raise measure.Failure(f"{len(found)} profiles")
    return found[0]


def heaptrack_library():
    script = shutil.which("heaptrack")
    for path in (HEAPTRACK, f"{os.path.dirname(script or '')}/../lib/heaptrack/libheaptrack_preload.so"):
        if os.path.exists(path):
            return path
    raise measure.Failure("no heaptrack here")


class Watched:
    """The ways to run one workload, and what the last run of each wrote."""

    def __init__(self, tools, work):
        self.tools, self.work = tools, work
        self.counts, self.bytes = {}, {}

    def run(self, way, prefix=(), environment=None, written=None):
        out = self.tools.fresh()
        try:
            line = [a.format(out=out) for a in prefix] + self.work.line
            spent = measure.spend(line, out, environment(out) if environment else None, self.work.stdin)
            if written:
                written(way, out)
            return spent.cpu
        finally:
            self.tools.forget(out)

    def note_profile(self, way, out):
        profile = only_profile(out)
        self.bytes[way] = os.path.getsize(profile)
        self.counts[way] = counts(self.tools, profile)

    def note_peer(self, way, out):
        self.bytes[way] = sum(os.path.getsize(f) for f in glob.glob(f"{out}/heaptrack*"))

    def peer_environment(self, out):
        # raw, to a file in memory: what heaptrack's script interprets and compresses beside the program is not in it
        return dict(os.environ, LD_PRELOAD=heaptrack_library(), DUMP_HEAPTRACK_OUTPUT=f"{out}/heaptrack")

    def ways(self):
        scprof = [self.tools.program("scprof"), "run", "-g", "alloc", "--no-report", "-o", "{out}/p.scp", "--"]
        return {
            "plain": lambda: self.run("plain"),
            PEER: lambda: self.run(PEER, (), self.peer_environment, self.note_peer),
            PEER_ALL: lambda: self.run(PEER_ALL, ["heaptrack", "--raw", "-o", "{out}/heaptrack"]),
            RUN: lambda: self.run(RUN, scprof, None, self.note_profile),
        }


def counts(tools, profile):
    """Calls, paths, sites, sites of one call, gap records."""
    said = subprocess.run([tools.program("bench/profile_counts"), profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if said.returncode:
        raise measure.Failure(said.stderr.strip())
    return [int(n) for n in said.stdout.split()]


def differences(values, base):
    return [v - b for v, b in zip(values, base)]


def cost_row(title, results, failed):
    plain = results["plain"]
    added = {way: differences(values, plain) for way, values in results.items()}
    cells = [measure.spread(plain, "{:.3f}")]
    for way in (PEER, PEER_ALL, RUN):
        cells.append(failed.get(way) or measure.spread(added[way], "{:.3f}"))
    cells.append("-" if {RUN, PEER} & set(failed) else measure.spread(measure.ratios(added[RUN], added[PEER])))
    measure.row(title, *cells)


def size_row(title, watched):
    calls, paths, sites, once, gaps = watched.counts[RUN]
    size, peer = watched.bytes[RUN], watched.bytes.get(PEER)
    measure.row(title, f"{calls:,}", f"{paths:,}", f"{sites:,}", f"{100 * once / sites:.0f} %", f"{gaps / paths:.2f}",
                f"{size:,}", f"{size / paths:,.0f}", f"{peer:,}" if peer else "-")


def bench(tools, rounds, scale):
    inputs = tools.fresh()
    steal = measure.Steal()
    taken = []
    measure.header("CPU time of programs whose every allocation is watched, s", "program", "plain", f"{PEER} adds", f"{PEER_ALL} adds",
                   f"{RUN} adds", f"{RUN} / {PEER}")
    for title, work in workloads.all_of(inputs, scale).items():
        if isinstance(work, measure.Failure):
            measure.row(title, work, *["-"] * 4)
            continue
        watched = Watched(tools, work)
        results, failed = measure.interleave(watched.ways(), rounds)
        if "plain" in failed:
            measure.row(title, failed["plain"], *["-"] * 4)
            continue
        cost_row(title, results, failed)
        if RUN not in failed:
            taken.append((title, watched))
    measure.header("Their profiles", "program", "calls", "call paths", "sites", "sites of one call", "gap records a path",
                   "bytes", "bytes a path", f"bytes by {PEER}, raw")
    for title, watched in taken:
        size_row(title, watched)
    tools.forget(inputs)
    print(f"\n{rounds} rounds; median (least to most); added: to the same round's plain run, user and system time of all processes.\n"
          f"{PEER} walks the stack where memory is allocated, scprof also where it is freed.\n"
          f"{PEER}: its library alone, raw data to a file in memory, heaptrack_interpret and compression left out.\n"
          f"{PEER_ALL}: its script, with zstd, without heaptrack_interpret. {RUN}: the tool, too.\n"
          f"The host stole {steal.percent():.1f} % of the CPUs' time")

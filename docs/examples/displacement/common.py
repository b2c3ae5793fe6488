# SPDX-License-Identifier: GPL-3.0-or-later
"""What the experiments share: options, runs of `scprof displace`, a wire of their own, and
tables that are printed row by row, kept as text and as data for gnuplot, and drawn.

Nothing of the machine is changed: pinning is the program's own, and network settings
are made in namespaces that end with the experiment (wire.sh)."""
import argparse
import contextlib
import ctypes
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NOT_HAD = "-"
PR_SET_PDEATHSIG = 1


class Refused(Exception):
    """The experiment cannot be done here; the text says why and what it needs."""


def options(description, **defaults):
    """Every experiment's options. Defaults: loops, replications."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "..", "build"), help="where scprof was built")
    parser.add_argument("--out", help="folder for the table, its data and its plot (default: print only)")
    parser.add_argument("--cpus", help="two CPUs, such as 0,1: the program's, and the one that packets are steered to")
    parser.add_argument("--loops", type=int, default=defaults.get("loops"), help="operations a run (default: %(default)s)")
    parser.add_argument("--replications", type=int, default=defaults.get("replications"),
                        help="runs of each row (default: %(default)s)")
    parser.add_argument("--rest", default="500ms", help="the fluid alone before and after each run (default: %(default)s)")
    parser.add_argument("--first", action="store_true", help="as root: before other ordinary tasks (nice -20, the whole "
                        "session), who wait meanwhile: for a busy machine that you may hold up for seconds at a time")
    parser.add_argument("--quiet", type=float, metavar="PERCENT", help="before each measurement wait until other "
                        "tasks take less than this of the CPUs, and measure again where they then took more")
    parser.add_argument("--patience", type=float, default=10, help="seconds to wait for that (default: %(default)s)")
    parser.add_argument("--tries", type=int, default=3, help="of them the one with the least is kept (default: %(default)s)")
    return parser


class Bench:
    """The tools and the CPUs of one experiment."""

    def __init__(self, o):
        self.o = o
        self.scprof = os.path.join(o.build, "scprof")
        self.put = os.path.join(o.build, "examples", "put")
        for tool in (self.scprof, self.put):
            if not os.access(tool, os.X_OK):
                raise Refused(f"{tool} is not there: build first (make), or say --build DIR")
        self.cpus = self.two_cpus(o.cpus)
        self.rate = None

    @staticmethod
    def two_cpus(wished):
        may = sorted(os.sched_getaffinity(0))
        if wished:
            try:
                chosen = [int(word) for word in wished.split(",")]
            except ValueError:
                raise Refused(f"--cpus '{wished}' is not two CPUs such as 0,1") from None
        else:
            chosen = may[:2]
        if len(set(chosen)) != 2 or not set(chosen) <= set(may):
            raise Refused(f"two CPUs are needed, of those that this process may use ({may}); got {chosen}")
        return chosen

    def cpu_list(self, count=2):
        return ",".join(str(c) for c in self.cpus[:count])

    def computing(self):
        """put's option that makes all runs compute the same: one calibration for all."""
        if self.rate is None:
            self.rate = run_text([self.put, "rate"]).strip()
        return ["--rate", self.rate]

    def alone(self, *arguments, first=False):
        """put without the fluid: what it says of itself, as a dictionary. First: before all
        other ordinary tasks, where that is permitted."""
        return put_says(run_text([self.put, *map(str, arguments)], first))[0]

    def busy(self, seconds=0.3):
        """Share of our CPUs that was not idle, percent."""
        before = idle_and_all(self.cpus)
        time.sleep(seconds)
        idle, everything = (a - b for a, b in zip(idle_and_all(self.cpus), before))
        return 100 * (1 - idle / everything) if everything else 0

    def await_quiet(self):
        until = time.monotonic() + self.o.patience
        while time.monotonic() < until and self.busy() > self.o.quiet:
            pass

    def displace(self, *arguments, **how):
        """`scprof displace` of put: its JSON, with put's own words under "put". With --quiet:
        of several tries the one with the least done by others. (Chosen by the load, never
        by what the measurement says.)"""
        if self.o.quiet is None:
            return self.displace_once(*arguments, **how)
        best = None
        for _ in range(self.o.tries):
            self.await_quiet()
            found = self.displace_once(*arguments, **how)
            if "all_cpus" not in found:
                return found
            if best is None or others(found) < others(best):
                best = found
            if others(best) < self.o.quiet:
                break
        return best

    def displace_once(self, *arguments, command=None, cpus=None, replications=None, loops=None, more=(), first=False):
        words = [str(a) for a in arguments]
        with tempfile.TemporaryDirectory() as folder:
            answer = os.path.join(folder, "answer.json")
            said = run_text([self.scprof, "displace", "-q", "--json", "-o", answer,
                             "--cpus", cpus or self.cpu_list(), "--rest", self.o.rest,
                             "--loops", str(loops or (1 if command else words[1])),
                             "--replications", str(replications or self.o.replications),
                             *more, "--", command or self.put, *words], first or self.o.first)
            with open(answer, encoding="utf-8") as file:
                found = json.load(file)
        found["put"] = put_says(said)
        return found

    @contextlib.contextmanager
    def burner(self, cpu, compute_us=1000, pause_us=0):
        """Another process, of another session, that burns one CPU all the while, or a part of it."""
        child = subprocess.Popen([self.put, "compute", "1e12", str(compute_us), "--pause", str(pause_us),
                                  "--rate", self.computing()[1], "--cpu", str(cpu)], start_new_session=True)
        try:
            yield
        finally:
            child.kill()
            child.wait()


def idle_and_all(cpus):
    """Hundredths of a second of these CPUs since boot: idle, and all."""
    idle = everything = 0
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            name, *columns = line.split()
            if name in [f"cpu{c}" for c in cpus]:
                idle += int(columns[3]) + int(columns[4])
                everything += sum(map(int, columns[:8]))
    return idle, everything


def others(found):
    return share(found["all_cpus"]["others_s"], found["all_cpus"]["wall_s"])


def end_with_us():
    """In the child: if we are killed, so is it (and put with it, which asks for the same)."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def come_first():
    """In the child: highest ordinary priority, for its session too where sessions are
    scheduled as groups. The session is its own and ends with it."""
    end_with_us()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        with open("/proc/self/autogroup", "w", encoding="ascii") as file:
            file.write("-20")


def run_text(command, first=False):
    """What it prints. After having come first, we wait as long: others get their half."""
    began = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=first, preexec_fn=come_first if first else end_with_us)
    if first:
        time.sleep(time.monotonic() - began)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word why"])[-1]
        raise Refused(f"{' '.join(os.path.basename(w) for w in command[:2])} ended with status {done.returncode}: {last}")
    return done.stdout


def put_says(text):
    lines = re.findall(r"^put: (.*)$", text, re.M)
    return [dict((key, float(value)) for key, value in zip(words[::2], words[1::2]))
            for words in (line.split() for line in lines)]


class Wire:
    """Namespaces of wire.sh, as a context: gone afterwards, even if we are killed."""

    def __init__(self):
        how = ["--net", "--mount"]
        if os.geteuid():
            how = ["--map-root-user"] + how
        for tool in ("unshare", "nsenter", "ip", "mount"):
            if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
                raise Refused(f"no {tool}: install util-linux and iproute2")
        environment = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
        self.process = subprocess.Popen(["unshare", *how, os.path.join(HERE, "wire.sh")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                        start_new_session=True)
        answer = self.process.stdout.readline().split()
        if answer[:1] != ["ready"]:
            why = " ".join(answer) or self.process.stderr.read().strip()
            self.close()
            raise Refused(f"no network namespace of its own ({why}): it needs root, or user namespaces for all")
        self.ends = answer[1:]

    def tell(self, verb, value):
        """None, or why it failed."""
        self.process.stdin.write(f"{verb} {value}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        return None if answer == "ok" else answer or "the wire is gone"

    def where(self, net):
        """put's options for "loopback" or "veth"."""
        enter = ["--net", f"/proc/{self.ends[0]}/ns/net"]
        if os.geteuid():
            enter += ["--user-ns", f"/proc/{self.ends[0]}/ns/user"]
        if net == "loopback":
            return enter + ["--peer-net", f"/proc/{self.ends[0]}/ns/net"]
        return enter + ["--peer-net", f"/proc/{self.ends[1]}/ns/net", "--address", "10.77.0.2"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Table:
    """Columns are (heading, width, format). Rows are printed as they come; None is
    printed as "-", and is missing in the plot."""

    def __init__(self, name, title, columns, out):
        self.name, self.columns, self.out, self.lines, self.data = name, columns, out, [], []
        self.say(title)
        self.say(" ".join(heading.rjust(width) for heading, width, _ in columns))

    def say(self, line):
        print(line, flush=True)
        self.lines.append(line)

    def row(self, *values):
        cells = [NOT_HAD if v is None else format(v, spec) for v, (_, _, spec) in zip(values, self.columns, strict=True)]
        self.say(" ".join(cell.rjust(width) for cell, (_, width, _) in zip(cells, self.columns)))
        self.data.append(values)

    def finish(self, plot=None):
        """Keeps the text and the data, and draws plot.gp, if there is where."""
        if not self.out:
            return
        os.makedirs(self.out, exist_ok=True)
        base = os.path.join(self.out, self.name)
        with open(base + ".txt", "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        with open(base + ".dat", "w", encoding="utf-8") as file:
            file.write("# SPDX-License-Identifier: GPL-3.0-or-later\n")
            file.write("# " + "\t".join(heading for heading, _, _ in self.columns) + "\n")
            for row in self.data:
                file.write("\t".join("NaN" if v is None else str(v) for v in row) + "\n")
        if plot:
            draw(plot, base + ".dat", os.path.join(self.out, plot + ".svg"))


def draw(plot, data, svg):
    gnuplot = shutil.which("gnuplot")
    if not gnuplot:
        print(f"no plot {os.path.basename(svg)}: gnuplot is not installed (scripts/setup.sh --bench)", file=sys.stderr)
        return
    drawn = subprocess.run([gnuplot, "-e", f"data='{data}'", os.path.join(HERE, plot + ".gp")], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, check=False)
    if "all points y value undefined" in drawn.stderr:
        print(f"no plot {os.path.basename(svg)}: the measurement supports no figure", file=sys.stderr)
        return
    if drawn.returncode:
        raise Refused(f"gnuplot could not draw {plot}.gp: {drawn.stderr.strip()}")
    with open(svg, "w", encoding="utf-8") as file:
        file.write(f"<!-- SPDX-License-Identifier: GPL-3.0-or-later; drawn by docs/examples/displacement/{plot}.gp -->\n")
        # gnuplot opens a group for each change of its pen, most of them for nothing
        file.write(re.sub(r"<g [^>]*>\s*</g>\n", "", drawn.stdout.split("?>", 1)[-1].lstrip()))


def share(part, whole):
    return None if part is None or not whole else 100 * part / whole


def quality(found):
    """Share of windows kept; of the CPUs' time: other tasks, stolen. Percent."""
    everything = found["all_cpus"]
    return (share(found["windows_kept"], found["windows"]), share(everything["others_s"], everything["wall_s"]),
            share(everything["stolen_s"], everything["wall_s"]))


QUALITY = (("kept %", 6, ".0f"), ("others %", 8, ".0f"), ("stolen %", 8, ".1f"))


def operation(found):
    """Microseconds an operation: getrusage, displacement, its limits, difference in %."""
    each = found["per_operation_us"]
    apart = share(each["displacement_us"] - each["rusage_us"], each["rusage_us"]) \
        if each["displacement_us"] is not None else None
    return each["rusage_us"], each["displacement_us"], each["ci_low_us"], each["ci_high_us"], apart


def student(probability, freedom):
    """Quantile of Student's t by bisection; the distribution by Simpson's rule."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def below(t, steps=400):
        each = t / steps
        density = [scale * (1 + (i * each) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return 0.5 + each / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))

    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return low


def summarise(found, name="mean absolute difference"):
    there = [abs(v) for v in found if v is not None]
    if not there:
        return f"{name}: no row says anything"
    return f"{name}: {sum(there) / len(there):.2f} % ({len(there)} of {len(found)} rows)"


def main(body):
    """Runs an experiment: exit status 0; 1 refused, and why; 128 + N after a signal."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        body()
    except Refused as why:
        print(f"{os.path.basename(sys.argv[0])}: {why}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print(f"{os.path.basename(sys.argv[0])}: interrupted; the rows above are complete", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)

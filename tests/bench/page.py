#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a page of `scprof report --format html` opens, zooms, searches, sorts and scrolls, in
headless Chromium: tests/bench/page.py BUILD [PATHS]. Medians over five loads; wall time, and the CPU time
of the page's own thread, which a busy machine leaves as it is. Prints Markdown."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "browser"))
import chromium  # pylint: disable=wrong-import-position

LOADS = 5
# Zooms in along the widest boxes and out again; resolves to the times between two frames, ms.
ZOOMS = """(async () => {
    const between = [];
    let last = performance.now(), going = true;
    const tick = (now) => { between.push(now - last); last = now; if (going) requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    for (let k = 0; k < 6; k++) {
        zoomTo(Math.min(1 + k, tree.n - 1));
        await new Promise((done) => setTimeout(done, 350));
        zoomTo(0);
        await new Promise((done) => setTimeout(done, 350));
    }
    going = false;
    return between;
})()"""
SCROLLS = """(async () => {
    const between = [];
    let last = performance.now();
    for (let i = 0; i < 80; i++) {
        table.view.scrollTop += 700;
        await new Promise(requestAnimationFrame);
        between.push(performance.now() - last);
        last = performance.now();
    }
    return between;
})()"""


def cpu_ms(b):
    metrics = b.call("Performance.getMetrics")["metrics"]
    return 1000 * next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def timed(b, script):
    """Wall times that the script gives, or its own, and CPU time for each."""
    before = cpu_ms(b)
    wall = b.run(script) if script.startswith("(async") else [
        b.run(f"(() => {{ const began = performance.now(); {script}; return performance.now() - began; }})()")]
    return [(w, (cpu_ms(b) - before) / len(wall)) for w in wall]


def show(name, values):
    wall = sorted(w for w, _ in values)
    print(f"| {name} | {statistics.median(wall):.1f} ms | {wall[int(0.95 * len(wall))]:.1f} ms"
          f" | {statistics.median(c for _, c in values):.1f} ms | {len(wall)} |")


def measure(page):
    loads, zooming, scrolling, searching, sorting = [], [], [], [], []
    with chromium.Browser(width=1440, height=1000) as b:
        b.call("Performance.enable", timeDomain="threadTicks")
        for _ in range(LOADS):
            before = cpu_ms(b)
            b.open(page)
            after = cpu_ms(b)  # a new page may begin at 0
            loads.append((float(b.run("document.documentElement.dataset.ready")), after - before if after > before else after))
            zooming += timed(b, ZOOMS)
            scrolling += timed(b, SCROLLS)
            for words in ("recv", "core.so.3+0x2", ""):
                searching += timed(b, f"searchFor('{words}')")
            for key in ("mean", "calls", "function", "total"):
                sorting += timed(b, f"sortBy('{key}')")
        print(f"{b.run('sites.rows')} rows, {b.run('tree.n')} boxes, {os.path.getsize(page) / 1e6:.1f} MB\n")
    print("| | wall, median | 95th percentile | CPU, median | of |\n|---|---|---|---|---|")
    for name, values in (("open, from the first byte to all drawn", loads), ("a frame while zooming", zooming),
                         ("a frame while scrolling the table", scrolling), ("search", searching), ("sort", sorting)):
        show(name, values)


def main():
    build, paths = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "100000"
    with tempfile.TemporaryDirectory() as folder:
        profile, page = os.path.join(folder, "many.scp"), os.path.join(folder, "many.html")
        subprocess.run([os.path.join(build, "tests/profiles/make_profile"), "paths", paths, profile], check=True)
        began = time.monotonic()
        subprocess.run([os.path.join(build, "scprof"), "report", "--format", "html", "-o", page, profile], check=True)
        print(f"written in {time.monotonic() - began:.1f} s")
        measure(page)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a page of `scprof report --format html` opens, zooms, searches, sorts and scrolls, in
headless Chromium: bench/page.py BUILD [PATHS]. Medians of five loads; frames are the times between
two of the browser's, and what drawing one took. Prints Markdown."""
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "browser"))
import chromium  # pylint: disable=wrong-import-position

LOADS = 5
# Zooms in along the widest boxes and out again; resolves to [between frames, drawing], ms.
ZOOMS = """(async () => {
    const between = [];
    let last = performance.now(), going = true;
    const tick = (now) => { between.push(now - last); last = now; if (going) requestAnimationFrame(tick); };
    requestAnimationFrame(tick);
    flame.frames.length = 0;
    for (let k = 0; k < 6; k++) {
        zoomTo(Math.min(1 + k, tree.n - 1));
        await new Promise((done) => setTimeout(done, 350));
        zoomTo(0);
        await new Promise((done) => setTimeout(done, 350));
    }
    going = false;
    return [between.slice(2), flame.frames];
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
    return between.slice(2);
})()"""


def timed(b, script):
    return b.run(f"(() => {{ const began = performance.now(); {script}; return performance.now() - began; }})()")


def show(name, values):
    values = sorted(values)
    print(f"| {name} | {statistics.median(values):.1f} ms | {values[int(0.95 * len(values))]:.1f} ms | {len(values)} |")


def measure(page):
    loads, between, drawing, scrolling, searching, sorting = [], [], [], [], [], []
    with chromium.Browser(width=1440, height=1000) as b:
        for _ in range(LOADS):
            b.open(page)
            loads.append(float(b.run("document.documentElement.dataset.ready")))
            frames = b.run(ZOOMS)
            between += frames[0]
            drawing += frames[1]
            scrolling += b.run(SCROLLS)
            searching += [timed(b, f"searchFor('{words}')") for words in ("recv", "core.so.3+0x2", "")]
            sorting += [timed(b, f"sortBy('{key}')") for key in ("mean", "calls", "function", "total")]
        print(f"{b.run('sites.rows')} rows, {b.run('tree.n')} boxes, {os.path.getsize(page) / 1e6:.1f} MB\n")
    print("| | median | 95th percentile | of |\n|---|---|---|---|")
    for name, values in (("open, from the first byte to all drawn", loads), ("between two frames while zooming", between),
                         ("drawing a frame of the flame graph", drawing), ("between two frames while scrolling the table", scrolling),
                         ("search", searching), ("sort", sorting)):
        show(name, values)


def main():
    build, paths = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "100000"
    with tempfile.TemporaryDirectory() as folder:
        profile, page = os.path.join(folder, "many.scp"), os.path.join(folder, "many.html")
        subprocess.run([os.path.join(build, "tests/unit/make_profile"), "paths", paths, profile], check=True)
        began = time.monotonic()
        subprocess.run([os.path.join(build, "scprof"), "report", "--format", "html", "-o", page, profile], check=True)
        print(f"written in {time.monotonic() - began:.1f} s")
        measure(page)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents' pictures, from a profile: the report in a terminal and the page, light and dark, with
headless Chromium; made small with pngquant where that is installed.
Usage: scripts/take_pictures.py [--build BUILD] [--lines N] [--as NAME] PROFILE [FOLDER]     (docs/images unless given)
--as loaded: only the report, as report-loaded-light.png and -dark.png."""
import argparse
import base64
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests/browser"))
import chromium

PAGE = (1280, 1240)
REPORT = ("report",)
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><style>
:root {{ --ground: #fbfbfa; --bar: #eceae6; --ink: #1f2328; --quiet: #6b7076; --sure: #0060a0; --doubt: #a34b00; --edge: #d6d3cd; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ground: #16181c; --bar: #24272d; --ink: #e4e6ea; --quiet: #989ea8;
	--sure: #6fb7ee; --doubt: #f0a35c; --edge: #353a42; }} }}
body {{ margin: 0; width: max-content; }}
main {{ border: 1px solid var(--edge); background: var(--ground); }}
header {{ background: var(--bar); color: var(--quiet); padding: 7px 16px; font: 13px "DejaVu Sans", sans-serif; }}
pre {{ margin: 0; padding: 14px 18px 16px; color: var(--ink); font: 14px/1.38 "DejaVu Sans Mono", monospace; }}
b {{ color: var(--sure); font-weight: normal; }} i {{ color: var(--doubt); font-style: normal; }} u {{ color: var(--quiet); text-decoration: none; }}
s {{ font-weight: bold; text-decoration: none; }}
</style><main><header>{title}</header><pre>{text}</pre></main>"""


def coloured(line):
    """What the eye should find: intervals, doubts, and the column titles."""
    text = html.escape(line, quote=False)
    if line.startswith("! "):
        return f"<i>{text}</i>"
    if re.match(r"    \S|  [+!~] |  about each", line):
        return f"<u>{text}</u>"
    if line.startswith(("FUNCTION", "WAITING")):
        return f"<s>{text}</s>"
    return re.sub(r"(\[-?[\d.,]+, -?[\d.,]+\]|±[\d.,?]+)", r"<b>\1</b>", text)


def save(browser, name, clip=None):
    more = {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True} if clip else {}
    shot = browser.call("Page.captureScreenshot", format="png", **more)
    with open(name, "wb") as f:
        f.write(base64.b64decode(shot["data"]))
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--skip-if-larger", "--quality=70-95", "--speed", "1", "--ext", ".png", name],
                       check=False)
    print(f"{name}: {os.path.getsize(name) // 1024} kB")


def theme(browser, name, scale):
    browser.call("Emulation.setDeviceMetricsOverride", width=PAGE[0], height=PAGE[1], deviceScaleFactor=scale, mobile=False)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])


def terminal(browser, scprof, profile, lines, work, prefix):
    said = subprocess.run([scprof, *REPORT, profile], env={**os.environ, "COLUMNS": "100"},
                          capture_output=True, text=True, check=True).stdout.splitlines()[:lines]
    path = f"{work}/terminal.html"
    with open(path, "w", encoding="utf-8") as f:
        f.write(TERMINAL.format(title=f"$ scprof {' '.join(REPORT)} {os.path.basename(profile)}", text="\n".join(map(coloured, said))))
    for name in ("light", "dark"):
        theme(browser, name, 1.5)
        browser.open(path)
        size = browser.run("(() => { const b = document.body.getBoundingClientRect(); return [b.width, b.height] })()")
        save(browser, f"{prefix}-{name}.png", {"x": 0, "y": 0, "width": size[0], "height": size[1]})


def page(browser, scprof, profile, work, folder):
    path = f"{work}/page.html"
    subprocess.run([scprof, "report", "--format", "html", "-o", path, profile], check=True)
    for name in ("light", "dark"):
        theme(browser, name, 1.25)
        browser.open(path)
        save(browser, f"{folder}/page-{name}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--lines", type=int, default=45, help="of the text report")
    parser.add_argument("--as", dest="kind", help="what the machine was")
    parser.add_argument("profile")
    parser.add_argument("folder", nargs="?", default=f"{ROOT}/docs/images")
    options = parser.parse_args()
    scprof = os.path.join(os.path.realpath(options.build), "scprof")
    work = tempfile.mkdtemp(prefix="scprof-pictures-")
    browser = chromium.Browser(width=PAGE[0], height=PAGE[1])
    try:
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        prefix = f"{options.folder}/report" + (f"-{options.kind}" if options.kind else "")
        terminal(browser, scprof, options.profile, options.lines, work, prefix)
        if not options.kind:
            page(browser, scprof, options.profile, work, options.folder)
    finally:
        browser.close()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()

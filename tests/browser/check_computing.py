# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page says of what was computed between the calls: checks of check_page.py."""
import re

from expecting import expect, expect_quiet, settled

SHARE_OF_TOP = "share(boxShare(0)) + ' ' + ofWhole()"


def computing(b, report):
    """The table says what the text report says; boxes are as wide as calls, computing, or both, and what they say follows;
    the verdict is on the first screen."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    cells = b.run("[...document.querySelectorAll('#computing tbody tr')].map((tr) => [tr.cells[0].querySelector('.name').textContent, ...[1, 2, 3].map((i) => tr.cells[i].textContent)].join(' '))")
    expect(len(cells) > 1, f"rows {cells}")
    for row in cells:
        expect(any(line.startswith(row) for line in said), f"'{row}' is not in the text report")
    words = b.run("byId('computing').querySelector('.reading').textContent")
    expect(all(any(part in line for line in said) for part in words.split("; ")) and "recording by scprof: " in words, f"'{words}' is not in the text report")
    verdict = b.run("byId('time').querySelector('.verdict').textContent")
    expect(verdict and any(line.endswith(verdict) for line in said), f"'{verdict}' is not in the text report")
    expect(b.run("byId('sections').textContent").startswith("Time by call pathCall sitesComputing"), "no link leads to it")
    calls, own = b.run("[tree.calls[0], tree.computing[0]]")
    seen = {}
    for what, wide, whole in (("calls", calls, "of the threads' time"), ("computing", own, "of the CPU time outside of calls"), ("both", calls + own, "")):
        b.click_on(f"document.querySelector('input[name=what][value={what}]').closest('label')")
        settled(b)
        expect(abs(b.run("tree.width[0]") - wide) < 1, f"{what}: {b.run('tree.width[0]')} ns wide, not {wide}")
        expect(b.run("[...tree.label.keys()].every((i) => { let below = 0; for (let k = i + 1; k < tree.next[i]; k = tree.next[k]) below += tree.width[k];"
                     " return below <= tree.width[i] + 1 + 1e-6 * tree.width[i]; })"), f"{what}: boxes are wider than the one above")
        expect(whole in b.run(SHARE_OF_TOP), f"{what}: {b.run(SHARE_OF_TOP)}")
        seen[what] = b.run("(() => { let n = 0; walkFlame(flame.from, flame.to, Infinity, () => n++, () => 0); return n; })()")
        b.run("selectBox(0)")
        words = b.run("byId('inspector').textContent")
        expect(b.run("duration(tree.width[0])") in words and b.run("duration(tree.computing[0])") in words, f"{what}: {words}")
        expect(what != "computing" or b.run("boxShare(0)") == 1, "all of what was computed is not all of it")
    expect(all(seen.values()) and len(set(seen.values())) > 1, f"boxes drawn: {seen}")
    expect(b.run("boxShare(0)") <= 1, "more than all")
    # a row has no width among what was computed: its box is shown beside the others
    b.key("m")
    b.key("m")
    b.wait_for("tree.what === 'computing'")
    b.click_on("[...document.querySelectorAll('.actions button')].find((e) => e.textContent === 'Zoom in')")
    b.run("zoomTo(sites.get(0, 'box'))")
    b.wait_for("tree.what === 'both' && document.querySelector('input[name=what][value=both]').checked")
    expect_quiet(b)


def without_computing(b, _):
    """Without samples there is neither a table nor a choice."""
    expect(b.run("byId('computing').hidden && byId('what').hidden && !hasComputing"), "something is there")
    expect(b.run(SHARE_OF_TOP + " === share(boxNumber(0, 'share')) + \" of the threads' time\""), "shares are of something else")
    expect_quiet(b)


def hostile_computing(b, _):
    """Names of what was computed are text, too."""
    expect(b.run("window.hacked === undefined"), "a name ran as a script")
    names = b.run("[...document.querySelectorAll('#computing .name, #computing .path')].map((e) => e.textContent)")
    expect(any("<" in name for name in names), f"no markup among {names}")
    for tag in ("img", "i[onclick]", "u", "s", "svg[onload]", "script:not([id]):not(:last-of-type)"):
        expect(b.run(f"document.querySelectorAll('{tag}').length") == 0, f"a name made <{tag}>")
    expect(b.run("document.documentElement.scrollWidth <= window.innerWidth"), "a long name makes the page wider than the window")
    b.look(390, 844)
    expect(b.run("document.documentElement.scrollWidth <= window.innerWidth"), "a long name makes a narrow page wider than the window")
    expect_quiet(b)

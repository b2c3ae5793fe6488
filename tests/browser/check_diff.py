# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a comparison, `scprof diff --format html`: two flame graphs of the same boxes, and the sites
with their verdicts: checks of check_page.py."""
import json

from expecting import expect, expect_quiet, painted

ROWS = "[...document.querySelectorAll('#table tbody tr[data-row]')]"
NAMES = ROWS + ".map((tr) => tr.querySelector('.name').textContent)"
# The middle of a box on a side, in the window.
PLACE = ("(side, box) => { const s = pair.sides[side], of = shown(side), r = s.canvas.getBoundingClientRect();"
         " return [r.x + (of.tree.x[box] + of.tree.width[box] / 2 - of.from) / (of.to - of.from) * of.pixels,"
         " r.y + (graph.depth[box] + 0.5) * FLAME_ROW - s.view.scrollTop]; }")
# Boxes that a side outlines when it is drawn.
OUTLINED = "((side) => { const c = pair.sides[side].ctx; let n = 0; c.strokeRect = () => n++; drawSide(side); delete c.strokeRect; return n; })"


def diff_quiet(b, _):
    """It loads without a word on the console, asks for nothing, and shows its parts, or why there is nothing."""
    expect(b.run("document.documentElement.dataset.ready"), "the scripts did not run to their end")
    expect(b.run("byId('verdict').textContent.includes(doc.verdict)"), "the verdict is not said")
    parts = ["title", "verdict"] + (["pair", "table", "inspector"] if b.run("sites.rows") else [])
    for part in parts:
        expect(b.run(f"byId('{part}').getBoundingClientRect().height > 0"), f"#{part} is not there")
    if b.run("sites.rows"):
        expect(b.run("pair.sides.every((s) => new Set(new Uint32Array(s.ctx.getImageData(0, 0, s.canvas.width, s.canvas.height).data.buffer)).size > 5)"),
               "a flame graph is blank")
    else:
        expect(b.run("!byId('flame').checkVisibility() && !byId('table').checkVisibility()"), "there are frames around nothing")
    expect_quiet(b)


def diff_says(b, told):
    """Head, rows and panel say what the JSON says, in its order."""
    with open(told, encoding="utf-8") as f:
        said = json.load(f)
    head = b.run("byId('verdict').textContent")
    expect(said["verdict"] in head and (said["sides"] or "") in head, f"the head says {head}")
    rows = b.run(ROWS + ".map((tr) => [tr.querySelector('.name').textContent, tr.querySelector('.verdict-cell').textContent.slice(1)])")
    expect(rows, "there are no rows")
    for (name, verdict), site in zip(rows, said["sites"]):
        expect((name, verdict) == (site["symbol"], site["verdict"]), f"{name}: {verdict} is not {site['symbol']}: {site['verdict']}")
    expect(b.run("sites.rows") == len(said["sites"]), "rows are missing")
    expect(said["sites"][0]["verdict"] in b.run("inspector.textContent"), "the panel does not have the first verdict")
    totals = said["totals"]
    of = b.run("Object.fromEntries([...byId('verdicts').children].map((e) => [e.lastChild.textContent.replace(/^[\\d,]+ /, ''), parseInt(e.lastChild.textContent.replace(/,/g, ''))]))")
    for words, key in (("slower", "slower"), ("faster", "faster"), ("gone", "gone"), ("new", "came"), ("no change seen", "no_change_seen")):
        expect(of.get(words, 0) == totals[key], f"{of} is not {totals}")
    total = b.run("sites.get(0, 'base_total')"), b.run("sites.get(0, 'new_total')")
    for side, (mine, its) in enumerate(zip(total, (said["sites"][0]["base"]["total_ns"], said["sites"][0]["new"]["total_ns"]))):
        expect(abs((mine or 0) - (its or 0)) <= 1e-9 * abs(its or 1), f"side {side}: {mine} is not {its}")
    expect_quiet(b)


def diff_pair(b, _):
    """A box that is pointed at is so on both sides; a click selects and zooms both, keys move, Escape leads back."""
    row = b.run("table.shown.find((row) => graph.boxOf[FIRST_SITE + row] >= 0 && [0, 1].every((side) => siteTime(row, side) > 0))")
    box = b.run(f"graph.boxOf[FIRST_SITE + {row}]")
    b.run("pair.selected = -1")
    for side in (0, 1):
        b.move(*b.run(f"({PLACE})({side}, {box})"))
        b.wait_for(f"pair.hover === {box}")
        expect(b.run(f"{OUTLINED}({1 - side})") == 1, "the counterpart is not shown")
        tip = b.run("byId('tip').textContent")
        expect(b.run(f"siteName({row})") in tip and "base" in tip and "new" in tip, f"the tip says {tip}")
    b.click(*b.run(f"({PLACE})(1, {box})"))
    b.wait_for(f"pair.selected === {box} && pair.zoomed === {box} && table.selected === {row}")
    expect(b.run("[0, 1].every((side) => shown(side).from === graph.trees[side].x[pair.zoomed])"), "one side did not zoom")
    expect(b.run("Math.max(...[0, 1].map((side) => shown(side).pixels / pair.sides[side].width))") == 1, "the longer side does not fill its window")
    b.run("pair.sides[0].canvas.focus()")
    b.key("Escape")
    expect(b.run(f"pair.zoomed === graph.parent[{box}]"), "Escape is not one step out")
    b.key("Home")
    b.key("ArrowUp")
    expect(b.run(f"pair.zoomed === 0 && pair.selected === graph.parent[{box}]"), "the keys do not move")
    expect(b.run("inspector.textContent.includes('below')"), "the panel does not show the caller")
    b.run("table.view.focus()")
    b.key("ArrowDown")
    b.key("Enter")
    painted(b)
    expect(b.run("pair.selected === graph.boxOf[FIRST_SITE + table.selected]"), "Enter does not show the row in the graphs")
    expect_quiet(b)


def diff_boxes(b, _):
    """Both sides have one scale; times add up; what is on one side only has no width on the other, and its verdict's colour."""
    for side in (0, 1):
        expect(b.run(f"(() => {{ const w = graph.trees[{side}].width; let sum = 0; for (let row = 0; row < sites.rows; row++)"
                     f" if (!pair.half || halfOfSite(row) === pair.half) sum += siteTime(row, {side}); return Math.abs(sum - w[0]) <= 1e-9 * sum; }})()"),
               "the sites do not add up to the whole")
    expect(b.run("Math.abs(shown(0).pixels / shown(1).pixels - ofBox(0, 0) / ofBox(0, 1)) < 1e-9"), "the sides have two scales")
    wrong = b.run("table.shown.filter((row) => { const box = graph.boxOf[FIRST_SITE + row]; return box >= 0 && (sites.get(row, 'status') === GONE && ofBox(box, 1) !== 0"
                  " || sites.get(row, 'status') === CAME && ofBox(box, 0) !== 0 || boxVerdict(box) !== verdictOf(row)); })")
    expect(not wrong, f"rows {wrong} have other boxes")
    expect(b.run("pair.colours.verdicts.length === VERDICTS.length && new Set(pair.colours.verdicts.map((c) => c.fill)).size === VERDICTS.length"), "two verdicts look the same")
    expect_quiet(b)


def diff_filters(b, _):
    """Verdicts and words choose rows, and forget."""
    everything = b.run("table.shown.length")
    first = b.run("byId('verdicts').children.length")
    b.click_on("byId('verdicts').firstElementChild")
    some = b.run("table.shown.length")
    expect(b.run("byId('verdicts').firstElementChild.getAttribute('aria-pressed')") == "true" and (some < everything or first == 1), "a verdict chooses nothing")
    expect(b.run("new Set([...table.shown].map(verdictOf)).size") == 1, "other verdicts are shown")
    b.click_on("byId('verdicts').firstElementChild")
    expect(b.run("table.shown.length") == everything, "the verdict is not forgotten")
    b.run("document.body.focus()")
    b.key("/")
    b.type("no such function")
    expect(b.run("table.shown.length") == 0, "words that nothing has find rows")
    b.key("Escape")
    expect(b.run("table.shown.length") == everything, "Escape does not clear the search")
    expect_quiet(b)


def diff_scale(b, _):
    """Changes lie on one axis, logarithmic around none: a slower one on the right, halves as far as doubles; no number is -0."""
    places = b.run("[1 / 1.02, 1, 1.02].map((ratio) => RATIOS.place(ratio - 1, 130))")
    expect(places[0] < places[1] < places[2] and abs(places[0] + places[2] - 130) < 1e-6 and abs(places[1] - 65) < 1e-6, f"{places}")
    dot = b.run("(() => { const tr = " + ROWS + "[0]; return [Number(tr.querySelector('.w-mean').getAttribute('cx')), sites.get(0, 'ratio')]; })()")
    expect((dot[0] > 65) == (dot[1] > 1), f"a change of {dot[1]} is drawn at {dot[0]}")
    expect(b.run("[...document.querySelectorAll('#table .whisker-axis text')].map((e) => e.textContent).includes('0')"), "the axis does not say where no change is")
    expect(not b.run("/[-−]0(\\.0*)?( %|,|\\])/.test(texts.join('\\n') + document.body.textContent)"), "-0 is said")
    expect_quiet(b)


def diff_hostile(b, _):
    """Names are text: no element, no script, no turned line comes of them."""
    for tag in ("img", "u", "s", "b.name", "svg[onload]", "script:not([id]):not(:last-of-type)"):
        expect(b.run(f"document.querySelectorAll({json.dumps(tag)}).length") == 0, f"a name made <{tag}>")
    expect(any("</script><img src=x onerror=" in n for n in b.run(NAMES)), "the markup is not shown as it is")
    b.run("for (let row = 0; row < sites.rows; row++) selectRow(row); for (let box = 0; box < graph.n; box++) { selectBox(box); showTip(box, 50, 50, 0); zoomTo(box); onlyRowsOf(box); }")
    whole = b.run("document.documentElement.textContent")
    for bad in ("\u202e", "\u200f", "\u2066", "\x1b", "\x01"):
        expect(bad not in whole, f"U+{ord(bad):04X} is in the page")
    expect(b.run("document.documentElement.scrollWidth <= window.innerWidth"), "a long name makes the page wider than the window")
    expect(b.run("window.hacked === undefined"), "a name ran as a script")
    expect_quiet(b)


def diff_many(b, _):
    """Of very many sites only those in the window are elements, and the last can be reached."""
    expect(b.run("table.shown.length") >= 20000, "rows are missing")
    expect(b.run(ROWS + ".length") < 60, "rows outside the window are elements")
    b.run("table.view.focus()")
    b.key("End")
    painted(b)
    expect(b.run(ROWS + ".some((tr) => Number(tr.dataset.row) === table.shown[table.shown.length - 1])"), "the last row is not reached")
    expect(b.run("(() => { let n = 0; walkBoxes(shown(0), Infinity, () => n++, () => n++); return n; })()") < 20000, "boxes too narrow to see are drawn")
    expect_quiet(b)


def diff_looks(b, _):
    """Side by side where there is room, else one below the other; on a telephone nothing is wider than the window; the head is short."""
    tops = "pair.sides.map((s) => s.view.getBoundingClientRect().top)"
    b.look(1440, 900)
    painted(b)
    left, right = b.run(tops)
    expect(left == right, "the sides are not beside each other")
    expect(b.run("document.querySelector('.top').getBoundingClientRect().bottom") <= 225, "the head is more than a quarter")
    expect(b.run("pair.sides.every((s) => Math.abs(s.canvas.getBoundingClientRect().width - s.view.clientWidth) <= 1)"), "a canvas does not fill its window")
    for width, dark in ((900, False), (390, True)):
        b.look(width, 844, dark)
        painted(b)
        left, right = b.run(tops)
        expect(right > left, "the sides are not below each other")
        expect(b.run("document.documentElement.scrollWidth <= window.innerWidth"), f"the page is wider than {width} px")
    expect(b.run("css('--ground') !== '#faf9f6'"), "the page is not dark")
    expect_quiet(b)

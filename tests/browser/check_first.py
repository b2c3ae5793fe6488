# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the first screen of a page answers: a short header, work apart from waiting, totals in the
boxes, one scale of intervals that holds them all: checks of check_page.py."""
from expecting import expect, expect_quiet, painted, settled

# Words and boxes of the flame graph, as they are drawn.
DRAWN = """(() => { const ctx = flame.ctx, words = []; ctx.fillText = (t) => words.push(t); drawFlame(); delete ctx.fillText; return words; })()"""


def header(b, _):
    """Three lines stand before the first graph; all else opens, each warning as one line, whole behind a click, and a key reaches it."""
    b.look(1440, 900)
    painted(b)
    lines = b.run("[...document.querySelectorAll('.headline, #time > *')].map((e) => Math.round(e.getBoundingClientRect().top / 12))")
    expect(len(set(lines)) <= 3, f"lines at {lines} stand before the graph")
    expect(b.run("document.querySelector('.top').getBoundingClientRect().bottom") <= 135, "the header is more than three lines")
    said = b.run("byId('more-title').textContent")
    expect(b.run("doc.warnings.length") == int(said.lstrip("!").split()[0]), f"'{said}' does not count the warnings")
    b.run("document.querySelector('#more > summary').focus()")
    b.key("Enter")
    painted(b)
    expect(b.run("byId('more').open && byId('figures').getBoundingClientRect().height > 0"), "Enter does not open what is behind")
    cut = b.run("[...document.querySelectorAll('.step, .step code')].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').length")
    expect(cut == 0, "a command to copy is cut")
    lines = b.run("[...document.querySelectorAll('#warnings > details > summary')].map((e) => [e.getBoundingClientRect().height, parseFloat(getComputedStyle(e).lineHeight)])")
    expect(lines and all(height < 1.6 * line for height, line in lines), f"a warning takes more than a line: {lines}")
    expect(b.run("[...document.querySelectorAll('.warning:not(.more) > p')].map((e) => e.textContent).join() === doc.warnings.map(([, words]) => words).join()"), "a warning's text is not there")
    b.run("document.querySelector('#warnings summary').focus()")
    b.key("Enter")
    expect(b.run("document.querySelector('#warnings details').open && document.querySelector('#warnings p').getBoundingClientRect().height > 0"), "Enter does not open a warning")
    b.run("doc.warnings = Array.from({ length: 40 }, (_, i) => [`code-${i}`, 'words <u> '.repeat(40)]); showWarnings()")
    painted(b)
    expect(b.run("document.querySelectorAll('#warnings > details').length") <= 4, "many warnings push the answer down")
    expect(b.run("document.querySelectorAll('#warnings u').length") == 0 and "37 more" in b.run("byId('warnings').textContent"), "the rest is not counted")
    expect(b.run("getComputedStyle(document.querySelector('.tools')).backgroundColor").startswith("rgb("), "headings show through the search bar")
    expect_quiet(b)


def apart(b, _):
    """Work is shown, and what waits as one bar with its functions; a switch or a key leads to either, and to all."""
    b.look(1440, 900)
    painted(b)
    expect(b.run("waitBox > 0 && flame.zoomed === workBox"), "work is not shown first")
    expect(not any("waiting" in word for word in b.run(DRAWN)), "what waits is drawn beside work")
    names = b.run("waitsByFunction()")
    said = b.run("byId('waits').textContent")
    part = b.run("share(boxNumber(waitBox, 'share'))")
    expect(said.startswith(f"Waiting {part} of the threads' time: {names[0][0]} "), f"'{said}' is said of what waits")
    whole = b.run("sites.rows === doc.rows ? boxNumber(waitBox, 'share') : -1")
    expect(abs(sum(n for _, n in names) - whole) < 1e-3, f"{names} are not {whole}")
    b.click_on("byId('half').querySelectorAll('label')[1]")
    b.wait_for("flame.zoomed === waitBox")
    settled(b)
    expect(b.run("byId('waits').hidden") and b.run(DRAWN)[0] == "waiting", f"{b.run(DRAWN)[:3]} is drawn of what waits")
    call = b.run("(() => { for (let i = waitBox; i < tree.next[waitBox]; i++) if (boxKind(i) === KIND.call) return i; })()")
    expect(b.run(f"colourOf({call}) !== flame.colours.kinds[KIND.call] && boxWaits({call})"), "what waits looks like work")
    b.run("flame.canvas.focus()")
    b.key("w")
    b.wait_for("flame.zoomed === 0")
    settled(b)
    expect({"work", "waiting"} <= set(b.run(DRAWN)), "not both are in the whole")
    b.click_on("byId('waits').querySelector('button')")
    b.wait_for("flame.zoomed === waitBox")
    expect_quiet(b)


def totals(b, _):
    """Boxes say total time and share, the panel adds the mean; the tooltip keeps off the panel."""
    words = b.run(DRAWN)
    box = b.run("workBox + 1")  # the widest below
    total = b.run(f"`${{duration(tree.width[{box}])}} ${{share(boxNumber({box}, 'share')).padStart(7)}}`")
    expect(total in words, f"'{total}' is in no box: {words[:12]}")
    expect(not any("±" in word or "[" in word for word in words), "a box says a mean")
    b.run(f"selectBox({box})")
    panel = b.run("byId('inspector').textContent")
    expect(total.split(" ")[0] in panel and "of the threads' time" in panel and "mean of a call" in panel, panel)
    for width in (1440, 1150, 700):
        b.look(width, 900)
        painted(b)
        for x in (0.02, 0.5, 0.98):
            place = b.run(f"(() => {{ const r = flame.canvas.getBoundingClientRect(); return [r.x + {x} * r.width, r.y + 0.5 * FLAME_ROW]; }})()")
            b.move(*place)
            b.wait_for("!byId('tip').hidden")
            over = b.run("(() => { const t = byId('tip').getBoundingClientRect(), p = byId('inspector').getBoundingClientRect();"
                         " return t.right > p.left && t.left < p.right && t.bottom > p.top && t.top < p.bottom; })()")
            expect(not over, f"{width} px: the tooltip covers the panel")
    expect_quiet(b)


def scale(b, _):
    """One scale holds all intervals, with a labelled axis; no number is -0."""
    ends = "[...document.querySelectorAll('#table .whisker .w-end')].length"
    expect(b.run(ends) == 0 and b.run("document.querySelectorAll('#table .whisker').length") > 2, "an interval is clipped")
    ends = b.run("[...table.order].map((row) => [sites.get(row, 'below'), sites.get(row, 'above')]).filter(([l, h]) => l !== null && h !== null && (-l > SITE_WHISKERS.low || h > SITE_WHISKERS.high))")
    expect(not ends, f"{ends} are beyond the scale")
    # widest twelve times the mean, most a hundredth: all within, in order, and most can be seen
    places = b.run("(() => { const u = [0.004, 0.01, 0.01, 0.02, 0.5, 12]; const s = whiskerScale(u.length, (i) => [-u[i] / 12, u[i]]);"
                   " return [s.log, s.low, s.high, s.place(-1, 130), s.place(0, 130), ...u.map((r) => s.place(r, 130))]; })()")
    expect(places[0] and places[1] == 1 and places[2] >= 12 and places[3:] == sorted(places[3:]) and len(set(places[3:])) == 7
           and places[3] >= 0 and places[-1] <= 130 and places[6] - places[4] > 4, f"{places}")
    axis = "[...whiskerAxis({}, 130).querySelectorAll('text')].map((e) => e.textContent)"
    words = b.run(axis.format("SITE_WHISKERS"))
    expect("0" in words and sum(w.endswith(" %") for w in words) == 1, f"axis {words}")
    # both ends have room; one is too near the mean
    for below, above, ends in (0.2, 0.5, ["−20", "+50 %"]), (0.02, 0.5, ["+50 %"]), (0.5, 0.02, ["−50 %"]):
        words = b.run(axis.format(f"whiskerScale(1, () => [-{below}, {above}])"))
        expect(words[0] == "0" and sorted(words[1:]) == sorted(ends), f"axis of -{below} to {above}: {words}")
    expect(b.run("[fixed(-0.04, 1), fixed(-0.0, 1), fixed(-0.3, 0), share(-0.0001), fixed(-0.06, 1)]") == ["0.0", "0.0", "0", "<0.1 %", "-0.1"], "-0 is said")
    expect_quiet(b)


def programs(b, _):
    """Rows of several programs say which; of one they do not."""
    cells = b.run("(() => { const at = visible.findIndex((c) => c.key === 'program');"
                  " return at < 0 ? null : [...document.querySelectorAll('#table tr[data-row]')].map((tr) => [Number(tr.dataset.row) % 2, tr.cells[at].textContent]); })()")
    if "two" in b.page:
        expect(cells and {(0, "first <u>"), (1, "second")} == {tuple(cell) for cell in cells}, f"{cells}")
        expect(b.run("document.querySelectorAll('#table u').length") == 0, "a program's name became an element")
        b.run("[...document.querySelectorAll('#programs button.link')].find((e) => e.textContent === 'second').click()")
        painted(b)
        expect(b.run("table.shown.length > 0 && table.shown.every((row) => row % 2 === 1)"), "a click on a program does not show it alone")
        b.run("document.querySelector('#only-program').click()")
        expect(b.run("table.shown.length === sites.rows && flame.matched === null"), "the chip does not show all programs again")
    else:
        expect(cells is None, "a column of one program is shown")
    expect_quiet(b)

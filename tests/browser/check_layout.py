# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether all that a page of `scprof report --format html` holds can be seen: words whole and apart,
what was found in the window, columns within reach, text that stands out from its ground. Sizes are
those of the browser's own layout, compared with each other; none is a number of this machine."""
import json

from expecting import expect, expect_quiet, painted, settled

# Of each histogram, drawn `width` px wide: words that stick out or touch.
CROWDED = """((width) => { const bad = []; let charts = 0;
    for (let row = 0; row < Math.min(sites.rows, 60); row++) {
        const chart = histogram(row, width, 170);
        if (!chart) continue;
        charts++;
        byId("inspector").replaceChildren(chart);
        const words = [...chart.querySelectorAll("text")].map((t) => ({ t: t.textContent, b: t.getBBox() }));
        if (words.filter((w) => w.b.y > 140).length < 2) bad.push(`row ${row}: no axis`);
        for (const [i, w] of words.entries()) {
            if (w.b.x < -0.5 || w.b.x + w.b.width > width + 0.5) bad.push(`row ${row}: '${w.t}' is cut`);
            for (const o of words.slice(0, i))
                if (w.b.x < o.b.x + o.b.width + 3 && o.b.x < w.b.x + w.b.width + 3 && w.b.y < o.b.y + o.b.height - 2 && o.b.y < w.b.y + w.b.height - 2)
                    bad.push(`row ${row}: '${o.t}' and '${w.t}' touch`);
        }
    }
    return { charts, bad }; })"""
# A box of the flame graph and a row of the table, as parts of the window: top, bottom.
PLACES = """((row) => { const box = sites.get(row, "box"), c = flame.canvas.getBoundingClientRect(), v = flame.view.getBoundingClientRect();
    const top = c.top + flameTop(box) - flame.view.scrollTop;
    const tr = document.querySelector(`#table tr[data-row="${row}"]`).getBoundingClientRect();
    return { box: [top, top + FLAME_ROW], view: [v.top, v.bottom], row: [tr.top, tr.bottom],
        covered: Math.max(document.querySelector(".tools").getBoundingClientRect().bottom, 0) }; })"""
# Contrast of each label of the flame graph with what it lies on (WCAG 2.1, relative luminance).
CONTRASTS = """(() => { const ctx = flame.ctx, drawn = [], old = ctx.fillText;
    ctx.fillText = function (words, x, y) { drawn.push([words, x, y, ctx.fillStyle, ctx.globalAlpha]); };
    drawFlame();
    delete ctx.fillText;
    const light = (rgb) => { const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const ratio = flame.canvas.width / flame.width, surface = flame.colours.surface.match(/[0-9a-f]{2}/g).map((h) => parseInt(h, 16));
    const copy = Object.assign(document.createElement("canvas"), { width: flame.canvas.width, height: flame.canvas.height });
    const pixels = copy.getContext("2d", { willReadFrequently: true });
    pixels.drawImage(flame.canvas, 0, 0);
    return drawn.map(([words, x, y, ink, alpha]) => {
        const p = pixels.getImageData(Math.round((x + 2) * ratio), Math.round(y * ratio), 1, 1).data, a = p[3] / 255;
        const ground = [0, 1, 2].map((i) => p[i] * a + surface[i] * (1 - a));
        const text = ink.match(/[0-9a-f]{2}/g).map((h, i) => parseInt(h, 16) * alpha + ground[i] * (1 - alpha));
        const [m, n] = [light(ground), light(text)].sort((u, v) => v - u);
        return [words, (m + 0.05) / (n + 0.05)]; }); })()"""


def axis(b, _):
    """Words on a histogram are whole, within it, and apart, however narrow it is."""
    for width in (340, 260, 180):
        found = b.run(f"{CROWDED}({width})")
        expect(found["charts"] > 3, f"{found['charts']} histograms")
        expect(not found["bad"], f"{width} px: {found['bad'][:6]}")
    expect_quiet(b)


def reaches(b, words):
    """Enter in the search brings the first row and its box into the window, even before the search is done."""
    b.key("/")
    b.type(words)
    b.key("Enter")
    expect(b.run("search.words") == words, "Enter does not wait for the search")
    row = b.run("table.selected")
    expect(row == b.run("table.shown[0]"), "the first row is not selected")
    settled(b)
    inside = (f"(() => {{ const p = {PLACES}({row}), end = window.innerHeight + 1; return p.row[0] >= p.covered - 1 && p.row[1] <= end"
              " && p.box[0] >= Math.max(p.view[0], p.covered) - 1 && p.box[1] <= Math.min(p.view[1] + 1, end); })()")
    try:
        b.wait_for(inside)
    except TimeoutError:
        expect(False, f"the row or its box is not in the window: {b.run(f'{PLACES}({row})')}")
    box = b.run("sites.get(table.selected, 'box')")
    expect(b.run(f"tree.width[{box}] / (flame.to - flame.from) * flame.width") > 2, "the box is too narrow to see")
    expect_quiet(b)


def columns(b, _):
    """Every column can be reached in a window of any width, and one that lies beyond the edge is told of."""
    every = b.run("COLUMNS.filter(hasValues).map((c) => c.key)")
    expect({"calls", "mean", "uncertainty", "total", "share", "p50", "p99", "max", "spark"} <= set(every), f"columns {every}")
    for width in (400, 800, 1440, 2560):
        b.look(width, 900)
        painted(b)
        expect(b.run("visible.map((c) => c.key)") == every, f"{width} px: other columns")
        hidden = b.run("[...byId('table').tHead.querySelectorAll('th')].filter((th) => th.getBoundingClientRect().right"
                       " > table.view.getBoundingClientRect().left + table.view.clientLeft + table.view.clientWidth + 8.5).length")
        said = b.run("byId('more-columns').hidden ? '' : byId('more-columns').textContent")
        expect(said == (f"{hidden} more column{'' if hidden == 1 else 's'} →" if hidden else ""), f"{width} px: {hidden} are out of sight, '{said}' is said")
        expect((hidden > 0) == (width < 1900), f"{width} px: {hidden} columns are out of sight")
        seen = b.run("[...byId('table').tHead.querySelectorAll('th')].filter((th) => th.getBoundingClientRect().right"
                     " <= table.view.getBoundingClientRect().left + table.view.clientLeft + table.view.clientWidth + 8.5).length")
        text = b.run("visible.map((c) => c.key).findLastIndex((key) => COLUMNS.find((c) => c.key === key).seen) + 1")
        cut = b.run("[...document.querySelectorAll('#table tr[data-row]')].map((tr) => tr.cells[visible.findIndex((c) => c.key === 'share')])"
                    ".filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)")
        expect(not cut, f"{width} px: shares are cut: {cut}")
        expect(width < 1440 or seen >= text >= 6, f"{width} px: {seen} of the text's {text} columns are seen")
        for _ in range(12 if hidden else 0):
            if b.run("byId('more-columns').textContent.startsWith('←')"):
                break
            b.run("new Promise((done) => { table.view.addEventListener('scrollend', () => done(0), { once: true }); byId('more-columns').click(); })")
            painted(b)
        edge = b.run("(() => { const v = table.view.getBoundingClientRect(), h = [...byId('table').tHead.querySelectorAll('th')].map((th) => th.getBoundingClientRect());"
                     " return [h[0].left - v.left, h.at(-1).right - v.right]; })()")
        expect(abs(edge[0]) < 3 and edge[1] < 9, f"{width} px: first and last head lie {edge} px from the edges")
        b.run("table.view.scrollLeft = 0")
    expect(b.run("document.querySelector('.main').clientWidth") > 1600, "a wide window is not used")
    b.look(400, 900)
    painted(b)
    for part in ("loops", "gaps"):
        cut = b.run(f"[...document.querySelectorAll('#{part} .mean')].filter((e) => !e.closest('details')).map((e) =>"
                    " Math.max(e.getBoundingClientRect().right - e.closest('.scroll-x').getBoundingClientRect().right, e.scrollWidth - e.clientWidth))")
        expect(len(cut) > 2 and max(cut) <= 1, f"#{part}: means are cut by {cut} px")
    expect_quiet(b)


def contrast(b, words):
    """Labels of boxes can be read, dimmed ones too, in every colouring and theme."""
    for dark in (False, True):
        b.look(1280, 900, dark=dark)
        painted(b)
        for how in ("kind", "certainty"):
            b.run(f"colourFlame({json.dumps(how == 'certainty')}); searchFor('')")
            plain = b.run(CONTRASTS)
            b.run(f"searchFor({json.dumps(words)})")
            dimmed = b.run(CONTRASTS)
            expect(len(plain) > 5 and len(dimmed) > 5, f"{len(plain)} labels, {len(dimmed)} with a search")
            weak = [pair for pair in plain + dimmed if pair[1] < 4.5]
            expect(not weak, f"{'dark' if dark else 'light'}, by {how}: {sorted(weak, key=lambda p: p[1])[:6]}")
    expect_quiet(b)


def order(b, _):
    """Loops come by their own time, those that hardly run are folded, and first calls are told of where they are in the means."""
    again = "for (const id of ['loops', 'gaps']) { byId(id).replaceChildren(); } showLoops(); showGaps();"
    b.run("(() => { const idle = structuredClone(doc.loops[0]); idle.tid = 77; idle.outside = 1000; idle.time *= 2; idle.cycles.length = 1;"
          " idle.cycles[0].permille = 0; idle.cycles[0].closed = 1; doc.loops[0].cycles[0].permille = 600; const short = structuredClone(doc.loops[0]);"
          " short.tid = 78; short.time /= 2; doc.loops = [idle, short, doc.loops[0]]; doc.warnings = []; " + again + " })()")
    shown = b.run("[...document.querySelectorAll('#loops .loop')].map((e) => [/\\((\\d+)\\)/.exec(e.textContent)[1], !!e.closest('details:not([open])')])")
    tid = b.run("String(doc.loops[2].tid)")
    expect([n for n, _ in shown if n in (tid, "78", "77")][0] == tid, f"order {shown}")
    expect([n for n, folded in shown if folded] == ["77"], f"folded {shown}")
    expect(b.run("document.querySelector('#loops details summary').textContent").startswith("1 more, less than 1 %"), "the fold does not say what it holds")
    notes = "['loops', 'gaps'].map((id) => byId(id).querySelectorAll('.first-calls').length)"
    expect(b.run(notes) == [0, 0], "no warm-up was excluded, but one is reported")
    b.run("(() => { doc.warnings = [['warm-up', '']]; " + again + " })()")
    expect(b.run(notes) == [1, 1], f"means with first calls are not reported: {b.run(notes)}")
    expect_quiet(b)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pages of `scprof report --format html` must do in a real browser: check_page.py RESULTS
CHECK:PAGE[:MORE]... Each check is a function below and names what it guards. Real keys and clicks,
not calls into the page's own functions, wherever a person would use them. One browser runs them
all, because starting one takes longer than most of them; what each found goes to a file of its name
in RESULTS, empty if it holds."""
import json
import os
import re
import sys
import traceback

import check_computing
import check_diff
import check_first
import check_layout
import check_states
import chromium
from expecting import Wrong, expect, expect_quiet, settled

NAMES = "[...document.querySelectorAll('#table tbody tr[data-row] .cell-name .name')].map((e) => e.textContent)"
MIDDLE = ("(i) => { const r = flame.canvas.getBoundingClientRect(), s = flame.width / (flame.to - flame.from);"
          " return [r.x + (Math.max(tree.x[i], flame.from) - flame.from) * s + Math.min(tree.width[i] * s, 200) / 2,"
          " r.y + flameTop(i) + 0.5 * FLAME_ROW - flame.view.scrollTop]; }")


def quiet(b, _):
    """It loads without a word on the console, asks for nothing, and shows its parts."""
    expect(b.run("document.documentElement.dataset.ready"), "the scripts did not run to their end")
    if not b.run("sites.rows"):
        expect(b.run("byId('warnings').getBoundingClientRect().height > 0"), "why there is nothing is not said")
        expect(b.run("['search', 'flame', 'table', 'inspector'].every((id) => !byId(id).checkVisibility()) && !byId('sections').textContent.includes('Call sites')"),
               "there are frames around nothing")
        expect_quiet(b)
        return
    for part in ("title", "more-title", "reading", "flame-canvas", "table", "inspector"):
        expect(b.run(f"byId('{part}').getBoundingClientRect().height > 0"), f"#{part} is not there")
    expect(b.run("(() => { const d = flame.ctx.getImageData(0, 0, flame.canvas.width, flame.canvas.height).data;"
                 " const seen = new Set(); for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]);"
                 " return seen.size; })()") > 5, "the flame graph is blank")
    expect_quiet(b)


def policy(b, _):
    """Even if something of a name became an element, it could load and run nothing."""
    b.run("window.refused = []; document.addEventListener('securitypolicyviolation', (e) => refused.push(e.effectiveDirective))")
    b.run("""(() => {
        const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x'; document.body.append(i);
        const s = document.createElement('script'); s.textContent = 'window.hacked = 1'; document.body.append(s);
        const d = document.createElement('div'); d.setAttribute('onclick', 'window.hacked = 2'); document.body.append(d); d.click();
        fetch('http://127.0.0.1:9/y').catch(() => 0);
    })()""")
    b.wait_for("refused.includes('img-src') && refused.includes('script-src-elem') && refused.includes('script-src-attr')"
               " && refused.includes('connect-src')")
    expect(b.run("window.hacked === undefined"), "a script of a foreign element ran")


def search(b, words):
    """Typing finds rows and boxes, says how many, and Escape forgets."""
    everything = b.run("table.shown.length")
    b.key("/")
    b.type(words)
    b.wait_for(f"search.words === {json.dumps(words)}")
    rows = b.run("table.shown.length")
    expect(0 < rows < everything, f"{rows} of {everything} rows are left")
    holding = b.run("[...table.order].filter((row) => [siteName(row), siteLibrary(row), text(sites.get(row, 'outcome')), ...pathOf(row)]"
                    f".some((t) => t.toLowerCase().includes({json.dumps(words.lower())})))")
    expect(set(holding) == set(b.run("[...table.shown]")), f"{rows} rows are shown, {len(holding)} hold '{words}'")
    drawn = b.run("[...document.querySelectorAll('#table tr[data-row]')].map((tr) => Number(tr.dataset.row))")
    expect(drawn and set(drawn) <= set(b.run("[...table.shown]")), "the table shows other rows")
    boxes = b.run("flame.matched.reduce((n, one) => n + one, 0)")
    expect(boxes == b.run(f"[...tree.label.keys()].filter((i) => i && boxName(i).toLowerCase().includes({json.dumps(words.lower())})).length"),
           f"{boxes} boxes are marked")
    said, _, time = b.run("byId('found').textContent").partition(": ")
    expect(said == f"{rows:,} rows, {boxes:,} boxes", f"'{said}' is said")
    # the calls below what was found, once each
    under = b.run("[0, 1].map((waits) => [...tree.label.keys()].filter((i) => boxKind(i) === KIND.call && (boxWaits(i) ? 1 : 0) === waits && (() => {"
                  " for (let at = i; at > 0; at = tree.parent[at]) if (flame.matched[at]) return true; return false; })())"
                  ".reduce((sum, i) => [sum[0] + tree.width[i], sum[1] + boxNumber(i, 'share')], [0, 0]))"
                  ".map(([ns, part]) => (ns > 0 ? [duration(ns), share(part)] : null))")
    wanted = [f"{words}{total}, {part} {of}" for (words, of), found in zip((("", "of the threads' time"), ("waits ", "of the threads' time")), under) if found
              for total, part in [found]]
    expect(time == "; ".join(wanted) and (time or not boxes), f"'{time}' is said of {wanted}")
    seen = b.run("(() => { let n = 0; walkFlame(flame.from, flame.to, Infinity, (i) => { const y = flameTop(i) + 0.5 * FLAME_ROW - flame.view.scrollTop;"
                 " n += flame.matched[i] && y > 0 && y < flame.height ? 1 : 0; }, () => 0); return n; })()")
    expect(seen > 0 or boxes == 0, "no box that was found is in sight")
    b.key("Escape")
    b.wait_for("!search.words && flame.matched === null")
    expect(b.run("table.shown.length") == everything, "not all rows came back")
    expect_quiet(b)


def zoom(b, _):
    """A click zooms to a box and shows its numbers; keys walk, zoom and lead back."""
    whole = b.run("[0, tree.width[0]]")
    expect(b.run("flame.zoomed === workBox && flame.from === tree.x[workBox] && flame.to === tree.x[workBox] + tree.width[workBox]"),
           "it does not begin with what works")
    # the widest of what works: how much of a profile waits depends on the machine
    box = b.run("[...tree.width.keys()].filter((i) => i && !boxWaits(i) && tree.x[i] > 0 && tree.width[i] < 0.9 * tree.width[workBox])"
                ".reduce((best, i) => (best < 0 || tree.width[i] > tree.width[best] ? i : best), -1)")
    expect(box > 0, "the profile has no box to zoom to")
    b.click(*b.run(f"(() => {{ byId('flame').scrollIntoView(); return ({MIDDLE})({box}); }})()"))
    b.wait_for(f"flame.zoomed === {box}")
    settled(b)
    expect(b.run(f"byId('inspector').querySelector('h2').textContent === boxName({box})"),
           "the details are of something else")
    expect(b.run("!byId('zoom-out').disabled && byId('crumb').textContent.length > 0"), "there is no way back")
    b.run("flame.canvas.focus()")
    b.key("Home")
    b.wait_for("flame.zoomed === 0")
    settled(b)
    expect(b.run("[flame.from, flame.to]") == whole, "Home does not show everything")
    b.run("selectBox(0)")
    b.key("ArrowDown")
    expect(b.run("flame.selected") == 1, "down does not go to the first box below")
    b.key("Enter")
    b.wait_for("flame.zoomed === 1")
    b.key("Escape")
    b.wait_for("flame.zoomed === 0")
    expect_quiet(b)


def sort(b, _):
    """A click on a column's head sorts by it, another one the other way, and the head says so."""
    for key, field in (("Calls", "sites.get(row, 'calls')"), ("Mean", "sites.get(row, 'mean')"), ("Function", "siteName(row)")):
        head = f"[...document.querySelectorAll('#table th button')].find((e) => e.textContent.startsWith('{key}'))"
        firsts = set()
        for turn in range(2):
            b.click_on(head)
            state = b.run(f"{head}.closest('th').getAttribute('aria-sort')")
            values = b.run(f"[...document.querySelectorAll('#table tr[data-row]')].map((tr) => {{ const row = Number(tr.dataset.row); return {field}; }})")
            expect(len(values) > 2, f"too few rows to sort: {values}")
            firsts.add(values[0])
            expect(state in ("ascending", "descending"), f"{key}: aria-sort {state}")
            expect(values == sorted(values, reverse=state == "descending"), f"{key}, {state}: {values}")
            expect(turn == 0 or state != before, f"{key}: the second click does not turn it round")
            before = state
        expect(len(firsts) == 2, f"{key}: both ways the same comes first")
    expect_quiet(b)


def filters(b, _):
    """Rows of one outcome, rows with a doubt, rows below a box."""
    everything = b.run("table.shown.length")
    b.run("(() => { const s = byId('outcome'); s.value = 'would-block'; s.dispatchEvent(new Event('change')); })()")
    left = b.run("[...table.shown].map((row) => text(sites.get(row, 'outcome')))")
    expect(left and set(left) == {"would-block"} and len(left) < everything, f"outcomes {set(left)}")
    b.run("(() => { const s = byId('outcome'); s.value = ''; s.dispatchEvent(new Event('change')); })()")
    b.click_on("byId('doubtful')")
    expect(b.run("[...table.shown].every((row) => notes.has(row))"), "a row without a doubt is shown")
    b.click_on("byId('doubtful')")
    b.run("selectBox(1)")
    b.click_on("[...document.querySelectorAll('.actions button')].find((e) => e.textContent.startsWith('Show its'))")
    below = b.run("table.shown.length")
    expect(below == b.run("boxRows(1)"), f"{below} rows are below the first box")
    b.click_on("byId('only-box')")
    expect(b.run("table.shown.length") == everything, "not all rows came back")
    expect_quiet(b)


def hostile(b, _):
    """Names are text: no element, no script, no turned line comes of them."""
    expect(b.run("window.hacked === undefined"), "a name ran as a script")
    for tag in ("img", "i[onclick]", "u", "s", "svg[onload]", "script:not([id]):not(:last-of-type)"):
        expect(b.run(f"document.querySelectorAll({json.dumps(tag)}).length") == 0, f"a name made <{tag}>")
    names = b.run(NAMES)
    expect(any("</script><img src=x onerror=" in n for n in names), f"the markup is not shown as it is: {names}")
    expect(any("\\u{202e}" in n for n in names) and any("\\xff" in n for n in names), "what turns or breaks text is not made visible")
    expect(b.run("document.title").find("</script>") > 0, "the title is not the command line")
    whole = b.run("document.documentElement.textContent")
    for bad in ("\u202e", "\u200f", "\u2066", "\x1b", "\x01"):
        expect(bad not in whole, f"U+{ord(bad):04X} is in the page")
    expect(b.run("Math.max(...texts.map((t) => t.length)) > 10000"), "the long name is cut")
    for row in range(len(names)):
        b.run(f"selectRow({row})")
    for box in range(b.run("tree.n")):
        b.run(f"selectBox({box}); showTip({box}, 50, 50)")
    expect(b.run("document.documentElement.scrollWidth <= window.innerWidth"), "a long name makes the page wider than the window")
    expect(b.run("window.hacked === undefined"), "a name ran as a script later")
    expect_quiet(b)


def numbers(b, report):
    """What rows say is what the text report says of them, to the digit."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    rows = b.run("""[...table.order].map((row) => { const p = meanParts(sites.get(row, "mean"), sites.get(row, "low"), sites.get(row, "high"));
        const end = [duration(sites.get(row, "total")), shareText(row), cpuText(row), bytes(sites.get(row, "bytes"))].filter((t) => t).join(" ");
        const price = sites.get(row, "per_byte") === null ? "" : plain(sites.get(row, "per_byte"));
        const tail = latencies.has(row) ? ["p50", "p99", ...latency(row, "p999_high") === null ? [] : ["p999"], "max"].map((p) => duration(latency(row, p))).join(" ") : "";
        return [siteName(row), text(sites.get(row, "outcome")), count(sites.get(row, "calls")), p.mean, p.unit, p.interval,
            doc.overhead ? duration(doc.overhead) : "", end, price, tail].filter((t) => t).join(" "); })""")
    expect(len(rows) > 3, "too few rows")
    missing = [row for row in rows if not any(line == row or line.startswith(row + " ") for line in said)]
    alike = [line for line in said if missing and line.startswith(" ".join(missing[0].split()[:2]) + " ")]
    expect(not missing, f"{len(missing)} rows are not in the text report:\n" + "\n".join(missing[:5]) + "\nbut:\n" + "\n".join(alike))


def loops(b, report):
    """Each part of a loop says what the text report says of it, and the shares are a whole."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    cells = b.run("[...document.querySelectorAll('#loops .loop tbody tr')].map((tr) => [...tr.cells].map((td) => td.textContent))")
    expect(len(cells) > 3 and b.run("document.querySelectorAll('#loops .l-bar span').length") > 3, "no loop is shown")
    for row in cells:
        end = " ".join(word for word in [row[2], row[3], row[5], row[6]] if word)
        expect(any(line.endswith(end) for line in said), f"'{end}' is not in the text report")
    shares = b.run("doc.loops.map((l) => l.outside + l.cycles.reduce((n, c) => n + c.rows.filter((_, i) =>"
                   " i % doc.loop_fields.length === doc.loop_fields.indexOf('permille')).reduce((a, p) => a + p, 0), 0))")
    expect(shares and all(s == 1000 for s in shares), f"shares add up to {shares}")
    expect_quiet(b)


def displaced(b, _):
    """Each CPU's bar is its account: lengths to scale, uncharged time in its own colour."""
    expect(not b.run("byId('displaced').hidden"), "the account is not shown")
    bars = b.run("[...document.querySelectorAll('#displaced .l-bar')].map((bar) => [...bar.children].map((part) =>"
                 " [part.className, part.getBoundingClientRect().width / bar.getBoundingClientRect().width]))")
    wanted = [["d-program", 0.5], ["d-uncharged", 0.25], ["d-others", 0.125], ["d-interrupts", 0.0625], ["d-idle", 0.0625]]
    expect([name for name, _ in bars[0]] == [name for name, _ in wanted], f"parts {bars[0]}")
    for (name, width), (_, part) in zip(bars[0], wanted):
        expect(abs(width - part) < 0.01, f"{name} takes {width} of the bar, not {part}")
    expect("d-uncharged" not in [name for name, _ in bars[1]], "a part below 0 has a length")
    colours = b.run("['program', 'uncharged', 'others', 'interrupts', 'stolen', 'idle'].map((part) => { const e = document.createElement('i');"
                    " e.className = `d-${part}`; document.body.append(e); return getComputedStyle(e).backgroundColor; })")
    expect(len(set(colours)) == len(colours), f"two parts have one colour: {colours}")
    cells = b.run("[...document.querySelectorAll('#displaced tbody tr')].map((tr) => [...tr.cells].map((td) => td.textContent))")
    expect(cells[1] == ["uncharged time of the program", "250.0 ms, 25.0 %", "-10.00 ms, -1.0 %"], f"{cells[1]}")
    words = b.run("byId('displaced').textContent")
    expect("250 ms ±50" in words and "<img src=x>" in words and "<u>" in words, f"{words}")
    expect(b.run("document.querySelectorAll('#displaced img, #displaced u').length") == 0, "a text of the account became an element")
    expect_quiet(b)


def costs(b, report):
    """A profile's own account and costs: no file beside it, the same numbers as in the text, and why there is none."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    b.look(1700, 900)
    b.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    heads = b.run("visible.map((c) => c.name)")
    expect({"Charged a call", "Uncharged a call", "Both a call", "True cost a call"} <= set(heads), f"columns {heads}")
    cells = b.run("[...document.querySelectorAll('#table tr[data-row]')].map((tr) => [siteName(Number(tr.dataset.row)),"
                  " ...['charged', 'uncharged', 'both', 'true'].map((key) => [...tr.cells[visible.findIndex((c) => c.key === key)].childNodes].map((n) => n.textContent.trim()).filter((t) => t))])")
    numbers = [row for row in cells if row[2][0] != "–"]
    expect(len(numbers) == 4 and len(cells) == 6, f"{len(numbers)} of {len(cells)} rows have a cost")
    for name, charged, uncharged, both, true in numbers:
        mean, unit, *star = uncharged[:-1]
        words = " ".join([*charged, mean, unit, uncharged[-1], *star, *both, *true])
        expect(any(line.startswith(name + " ") and words in line for line in said), f"'{name} ... {words}' is not in the text report")
    expect([name for name, _, uncharged, *_ in numbers if "*" in uncharged] == ["send", "recv"], f"significant: {numbers}")
    expect([row[2][1:] for row in cells if row[0] == "connect"] == [["called too rarely"]], f"{cells}")
    b.click_on("document.querySelector('#table tr[data-row=\"0\"] .name')")
    words = b.run("byId('inspector').textContent")
    expect("3.20 µs ±0.30 *" in words and "9.20 µs ±0.60" in words and "charged and uncharged" in words and "together withrecv" in words, f"details: {words}")
    b.click_on("[...document.querySelectorAll('#table th button')].find((e) => e.textContent.startsWith('Uncharged'))")
    order = b.run("[...table.shown].map(siteName)")
    expect(set(order[-2:]) == {"connect", "poll"} and order[3] == "read", f"sorted by uncharged: {order}")
    bars = b.run("[...document.querySelectorAll('#displaced .l-bar')].map((bar) => [...bar.children].map((part) =>"
                 " [part.className, Math.round(1000 * part.getBoundingClientRect().width / bar.getBoundingClientRect().width)]))")
    expect([part for part in bars[0] if part[0] == "d-uncharged" and abs(part[1] - 250) < 10], f"parts {bars}")
    expect(len(bars) == 3 and "d-uncharged" not in [name for name, _ in bars[1]], f"parts {bars}")
    words = b.run("byId('displaced').textContent")
    expect("500 ms [400, 850]" in words and "25.0 % of what getrusage reports" in words and "<img src=x>" in words and "careful <u>" in words, words)
    b.look(420, 900)
    b.open(b.page)
    expect(b.run("document.querySelectorAll('#table tr[data-row]').length") == 6, "a narrow window lacks rows")
    expect_quiet(b)


def slow(b, report):
    """The slow clock of a dual run says what the text says; where no tick was met, a limit and no judgement;
    the details say it of one call alone, too."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    rows = b.run("[...table.order].map((row) => [siteName(row), ...drawSlow(row).map((t) => t.textContent ?? t)])")
    empty = [row for row in rows if row[1].startswith("no tick [0, ")]
    # of a real run nobody knows which calls meet a tick
    expect((empty or b.page == "dual.html") and all(row[2] == "" for row in empty), f"{rows}")
    for name, words, judgement in rows:
        expect(any(line.startswith(name + " ") and f" {words} " in line for line in said), f"'{name} ... {words}' is not in the text report")
    b.click_on("document.querySelector('#table tr[data-row=\"0\"] .name')")
    expect(rows[0][1] in b.run("byId('inspector').textContent"), "the details do not say it")
    expect_quiet(b)


def many(b, _):
    """Of very many paths only what the window shows becomes elements or drawing."""
    rows = b.run("sites.rows")
    expect(rows >= 20000, f"{rows} rows only")
    expect(b.run("document.querySelectorAll('#table tr').length") < 80, "rows out of sight are elements")
    visits = "(() => { let n = 0; walkFlame(flame.from, flame.to, Infinity, () => n++, () => n++); return n; })()"
    # at least 0.4 px a box, so this many fit in the window's width and depth
    most = b.run("flame.width / FLAME_LEAST * 24")
    expect(b.run(visits) < most / 4 and b.run("tree.n") > most, f"{b.run(visits)} boxes are drawn of {b.run('tree.n')}")
    b.run("table.view.scrollTop = table.view.scrollHeight")
    last = b.run("table.shown[table.shown.length - 1]")
    b.wait_for(f"document.querySelector('#table tr[data-row=\"{last}\"]') !== null")
    inside = b.run(f"(() => {{ const r = document.querySelector('#table tr[data-row=\"{last}\"]').getBoundingClientRect(),"
                   " v = table.view.getBoundingClientRect(); return r.top >= v.top && r.bottom <= v.bottom + 1; })()")
    expect(inside, "the last row cannot be scrolled into view")
    expect(b.run("document.querySelectorAll('#table tr').length") < 80, "rows out of sight are elements")
    deep = b.run("(() => { let i = 0; for (let k = 1; k < tree.n; k++) if (tree.depth[k] > tree.depth[i] && tree.width[k] > 0) i = k; return i; })()")
    b.run(f"zoomTo({deep})")
    settled(b)
    expect(b.run(f"(() => {{ let seen = false; walkFlame(flame.from, flame.to, Infinity, (i) => {{ seen = seen || i === {deep}; }}, () => 0); return seen; }})()"),
           "the deepest box cannot be zoomed to")
    expect_quiet(b)


def looks(b, _):
    """Light, dark, narrow and paper: colours follow, nothing sticks out, paper has the rows."""
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    light = b.run(ground)
    b.look(1280, 900, dark=True)
    dark = b.run(ground)
    expect(light != dark, "dark looks as light does")
    for wanted in (light, dark):  # the switch goes light, dark, whatever the system says
        b.click_on("byId('theme')")
        expect(b.run(ground) == wanted, f"the switch gives {b.run(ground)}, not {wanted}")
    for width in (400, 800, 1900):
        b.look(width, 900)
        b.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        expect(b.run("document.documentElement.scrollWidth") <= width, f"at {width} px something sticks out")
    b.look(1280, 900)
    expect(b.paper().startswith(b"%PDF"), "it cannot be printed")
    b.run("toPaper(true)")
    expect(b.run("document.querySelectorAll('#table tr[data-row]').length === Math.min(sites.rows, PRINTED)"), "paper lacks rows")
    expect(b.run("byId('table').tHead.textContent.includes('Calls') && !byId('table').tHead.querySelector('button')"),
           "heads on paper hold buttons, which are not repeated on the next sheet")
    expect(b.run(ground) == light, "paper is not light")
    b.run("toPaper(false)")
    b.key("?")
    expect(b.run("byId('help').open && byId('help').textContent.includes('search')"), "the keys are not told")
    expect_quiet(b)


def outcome_of(b, words):
    name, page, more = (words.split(":", 2) + [None])[:3]
    b.calm = name != "zoom"
    b.look(1280, 900)
    b.open(page)
    try:
        rooms = (check_first, check_diff, check_layout, check_states, check_computing)
        next((getattr(room, name) for room in rooms if hasattr(room, name)), globals().get(name))(b, more)
    except Wrong as wrong:
        return str(wrong)
    except Exception:  # pylint: disable=broad-except; the others are still to be run
        return traceback.format_exc()
    return ""


def main():
    with chromium.Browser() as b:
        for words in sys.argv[2:]:
            with open(os.path.join(sys.argv[1], words.split(":")[0] + "-" + os.path.basename(words.split(":")[1])), "a",
                      encoding="utf-8") as out:
                out.write(outcome_of(b, words))


if __name__ == "__main__":
    main()

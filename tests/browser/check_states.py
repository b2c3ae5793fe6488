# SPDX-License-Identifier: GPL-3.0-or-later
"""What a page says of where time went: checks of check_page.py."""
import re

from expecting import expect, expect_quiet


def states(b, report):
    """Where time went: bars to scale, of all threads and of each row, with words; the calls that kept their CPU
    have their own mean and histogram; in any theme the parts have different colours."""
    with open(report, encoding="utf-8") as f:
        said = [re.sub(r"\s+", " ", line).strip() for line in f]
    widths = ("[...{}.querySelectorAll('.l-bar span')].map((part) => [part.className,"
              " part.getBoundingClientRect().width / part.parentNode.getBoundingClientRect().width])")
    bar = b.run(widths.format("byId('time')"))
    mostly, cpu, runnable, asleep = re.search(r"mostly (.*?): ([\d.]+) % .* on a CPU .*?, ([\d.]+) % runnable, ([\d.]+) % asleep in calls", " ".join(said)).groups()
    wanted = [["t-cpu_in_calls", float(cpu) / 100], ["t-runnable", float(runnable) / 100], ["t-asleep_in_calls", float(asleep) / 100]]
    expect(mostly == "kept from its CPUs", f"the text says {mostly}")
    expect([name for name, _ in bar] == [name for name, _ in wanted], f"parts {bar}")
    expect(all(abs(width - part) < 0.005 for (_, width), (_, part) in zip(bar, wanted)), f"lengths {bar}")
    words = b.run("byId('time').textContent")
    expect("Mostly kept from its CPUs" in words and f"waiting for a CPU {runnable} %" in words and f"asleep in calls {asleep} %" in words
           and "undefined" not in words, words)
    expect(b.run("inTenths([['a', 0.6364], ['b', 0.3611], ['c', 0.001445], ['d', 0.001055]]).map(([, of]) => of)") == [0.636, 0.361, 0.002, 0.001],
           "the parts do not add up to 100.0 %")
    cut = b.run("[...byId('time').querySelectorAll('.l-bar span')].filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.textContent)")
    expect(not cut, f"numbers in the bar are cut: {cut}")
    said_first = b.run("byId('time').querySelector('.l-bar').getAttribute('aria-label')")
    expect(f"waiting for a CPU {runnable} %" in said_first, f"a reader hears {said_first}")
    expect(b.run("byId('time').getBoundingClientRect().bottom < innerHeight / 2"), "it is not on the first screen")
    rows = b.run("""[...document.querySelectorAll('#table tr[data-row]')].map((tr) => { const cell = (key) => tr.cells[visible.findIndex((c) => c.key === key)],
        bar = cell('states').querySelector('.l-bar'); return { name: siteName(Number(tr.dataset.row)), label: bar.getAttribute('aria-label'), caption: cell('states').textContent,
        cpu: bar.querySelector('.t-on_cpu').getBoundingClientRect().width / bar.getBoundingClientRect().width,
        kept: [...cell('unswitched').childNodes].map((n) => n.textContent.trim()) }; })""")
    send, recv, read, connect = rows
    for row in (send, recv):
        # the first note of a row stands on the row's own line
        line = next(m.group() for m in (re.search(r"% (about: )?on CPU .*", line) for line in said)
                    if m and f"on CPU {row['label'].split()[2]} %" in m.group())
        expect(row["label"].replace("waiting for a CPU", "runnable") == line.replace("% ", "", 1).replace("about: ", ""), f"{row['label']}, but {line}")
        mean, unit, interval = row["kept"]
        expect(any(f"kept their CPU: mean {mean} {unit} {interval}" in line for line in said), f"{row['kept']} is not in the text report")
        expect(abs(row["cpu"] - float(row["label"].split()[2]) / 100) < 0.02, f"{row}")
    expect(send["caption"] == "97.9 % runnable" and recv["caption"] == "86.8 % asleep", f"{rows}")
    expect(read["label"].startswith("on CPU 100.0 %") and read["cpu"] > 0.99, f"{read}")
    expect(connect["kept"] == ["–", "all were switched"], f"{connect}")
    b.click_on("document.querySelector('#table tr[data-row=\"1\"] .name')")
    words = b.run("byId('inspector').textContent")
    expect("75.0 % of the calls kept their CPU: mean 1.005 µs ±0.001" in words and "1,025 of 4,100 calls, 25.0 %" in words
           and "each to its own highest bar" in words, words)
    # the 1 us calls and those of 43 us: each kind has one hill, and they do not touch
    hills = b.run("['.h-bars', '.h-switched'].map((kind) => { const r = document.querySelector(`#inspector ${kind}`).getBBox(); return [r.x, r.x + r.width]; })")
    expect(hills[0][1] < hills[1][0], f"the histograms lie at {hills}")
    expect("25.0 % of the calls were switched" in b.run("document.querySelector('#inspector .histogram').getAttribute('aria-label')"), "the histogram's words lack the switched calls")
    b.run("selectRow(2)")
    expect(b.run("document.querySelector('#inspector .h-switched') === null"), "calls that were never switched have two histograms")
    b.run("selectBox(0)")
    expect("on CPU 6.2 %" in b.run("byId('inspector').textContent"), "the box of all calls does not say where their time went")
    for dark in (False, True):
        b.look(1280, 900, dark=dark)
        colours = b.run("['on_cpu', 'runnable', 'asleep'].map((part) => { const e = document.createElement('i');"
                        " e.className = `t-${part}`; document.body.append(e); return getComputedStyle(e).backgroundColor; })")
        expect(len(set(colours)) == 3, f"two parts have one colour: {colours}")
    b.look(400, 900)
    expect(b.run("document.documentElement.scrollWidth <= 400"), "the bar is wider than a narrow window")
    expect_quiet(b)


def unknown_states(b, _):
    """Without a detector nothing is said of where time went."""
    parts = b.run("[...document.querySelectorAll('#time .l-bar span')].map((part) => part.className)")
    expect(set(parts) <= {"t-work", "t-waiting", "t-outside"} and not b.run("visible.some((c) => ['states', 'unswitched'].includes(c.key))"), "a bar of nothing is shown")
    expect("Where the time" not in b.run("byId('inspector').textContent"), "the details speak of it")
    expect_quiet(b)

# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/results/coverage.svg: every cell of the grid as a square, coloured by what became of it."""
import cells as grid

COLOURS = [("covers", "#7fb58a"), ("does not cover, warns", "#7d9fc9"), ("covers, but too wide", "#cfd8a0"),
           ("covers, but warns", "#e8c15c"), ("fails: neither covers nor warns", "#c8443c")]
WIDE, HIGH, LEFT, TOP = 13, 6, 120, 64
N = [30, 100, 1000, 10**4, 10**5, 10**6, 10**7]
MEANS = [1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.7, 10, 30]
PANEL_WIDE, PANEL_HIGH = len(N) * WIDE + 16, len(grid.LAWS) * (len(MEANS) * HIGH + 6) + 40


def colour(cell):
    if "cover-or-warn" in cell.failed:
        return 4
    if "false-alarm" in cell.failed:
        return 3
    if cell.failed:
        return 2
    return 0 if cell.covers() else 1


def corner(cell):
    """Of the cell's square; None off the grid."""
    if cell.n not in N or cell.mean_over_d not in MEANS:
        return None
    x = LEFT + grid.DEPENDENCES.index(cell.dependence) * PANEL_WIDE + N.index(cell.n) * WIDE
    y = TOP + grid.CLOCKS.index(cell.clock) * PANEL_HIGH
    y += grid.LAWS.index(cell.law) * (len(MEANS) * HIGH + 6) + MEANS.index(cell.mean_over_d) * HIGH
    return x, y


def text(x, y, words, more=""):
    return f'<text x="{x}" y="{y}"{more}>{words}</text>'


def labels():
    lines = []
    for number, dependence in enumerate(grid.DEPENDENCES):
        x = LEFT + number * PANEL_WIDE
        lines.append(text(x, TOP - 8, dependence, ' font-weight="bold"'))
        bottom = TOP + 2 * PANEL_HIGH - 34
        lines += [text(x, bottom, "n: 30"), text(x + len(N) * WIDE, bottom, "10⁷", ' text-anchor="end"')]
    for c, clock in enumerate(grid.CLOCKS):
        y = TOP + c * PANEL_HIGH
        lines.append(text(6, y + 10, clock, ' font-weight="bold"'))
        lines.append(text(6, y + 22, "ticks", ' font-weight="bold"'))
        for number, law in enumerate(grid.LAWS):
            at = y + number * (len(MEANS) * HIGH + 6)
            lines.append(text(LEFT - 6, at + len(MEANS) * HIGH / 2 + 3, law, ' text-anchor="end"'))
    for number, (name, fill) in enumerate(COLOURS):
        x = 6 + number * 190
        lines.append(f'<rect x="{x}" y="14" width="12" height="12" fill="{fill}"/>' + text(x + 17, 24, name))
    lines.append(text(LEFT, TOP + 2 * PANEL_HIGH - 16, "Columns: 30, 100, 1000, 10⁴, 10⁵, 10⁶, 10⁷ calls. "
                      "Rows of each law, from above: mean of 0.0001, 0.001, 0.01, 0.1, 0.3, 1.7, 10, 30 ticks."))
    return lines


def draw(all_cells):
    path = [[] for _ in COLOURS]
    for cell in all_cells:
        at = corner(cell)
        if at:
            path[colour(cell)].append(f"M{at[0]} {at[1]}h{WIDE - 1}v{HIGH - 1}h-{WIDE - 1}z")
    width, height = LEFT + len(grid.DEPENDENCES) * PANEL_WIDE, TOP + 2 * PANEL_HIGH
    lines = ["<!-- SPDX-License-Identifier: GPL-3.0-or-later; drawn by tests/bench/coverage/publish.py -->",
             f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    lines += [f'<path fill="{fill}" d="{"".join(d)}"/>' for (_, fill), d in zip(COLOURS, path) if d]
    return "\n".join(lines + labels() + ["</svg>", ""])

# SPDX-License-Identifier: GPL-3.0-or-later
"""What checks of a page share: how one says what is wrong, and when a page has come to rest."""


class Wrong(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Wrong(what)


def expect_quiet(b):
    expect(not b.errors, f"the console says: {b.errors}")
    expect(len(b.requests) == 1 and b.requests[0].startswith("file://"), f"requests: {b.requests}")


def settled(b):
    b.wait_for("flame.from === tree.x[flame.zoomed] && Math.abs(flame.to - flame.from - tree.width[flame.zoomed]) < 1")


def painted(b):
    b.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

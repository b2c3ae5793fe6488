# SPDX-License-Identifier: GPL-3.0-or-later
"""Passes the regions and points of scprof.py: python3 regions.py FOLDER-OF-SCPROF.PY."""
import asyncio
import os
import sys
import threading

sys.path.insert(0, sys.argv[1])
import scprof


def depth(n):
    with scprof.region("depth"):
        if n:
            depth(n - 1)


@scprof.region("pairs")
def pairs(n):
    for i in range(n):
        got = yield i
        if got:
            return got


@scprof.function
async def task(name, before, after):
    """Ends in another order than it began."""
    with scprof.region("task"):
        await before.wait()
    after.set()
    return name


async def tasks():
    events = [asyncio.Event() for _ in range(6)]
    last = asyncio.Event()
    started = [
        asyncio.ensure_future(task(i, events[i], events[i - 1] if i else last)) for i in range(6)
    ]
    await asyncio.sleep(0)
    events[5].set()
    await last.wait()
    return await asyncio.gather(*started)


@scprof.region("raises")
def raises(error):
    if error is not None:
        raise error
    return 5


def left_open():
    with scprof.region("left open"):
        yield 1


class Refuses(Exception):
    """Has no hash, and an odd truth."""

    __hash__ = None

    def __bool__(self):
        raise AssertionError


def raising():
    caught = 0
    for error in (None, KeyError(), Refuses(), None, StopIteration()):
        try:
            assert raises(error) == 5
        except (KeyError, Refuses, StopIteration):
            caught += 1
    return caught


def delegates():
    """A generator's value, what is sent into it, and how it ends are its own."""
    result = yield from pairs(3)
    yield result


def main():
    for _ in range(10):
        depth(3)
    generator = delegates()
    assert [next(generator), generator.send(None), generator.send(7)] == [0, 1, 7]
    assert list(pairs(3)) == [0, 1, 2]
    stays = left_open()
    next(stays)
    closed = left_open()
    next(closed)
    closed.close()
    assert asyncio.run(tasks()) == list(range(6))
    assert task.__name__ == "task" and task.__doc__.startswith("Ends")
    assert raising() == 3
    threads = [threading.Thread(target=lambda: [depth(0) for _ in range(7)]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for _ in range(4):
        scprof.point("a")
        scprof.point("b")
    scprof.point_stop()
    child = os.fork()
    if not child:
        with scprof.region("in a child"):
            os._exit(3)
    assert os.waitpid(child, 0)[1] == 3 << 8
    try:

        @scprof.region("asynchronous generator")
        async def numbers():
            yield 1

    except TypeError:
        print("as told")
    scprof.stop()
    depth(20)
    scprof.start()
    depth(0)


main()

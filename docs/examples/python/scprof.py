# SPDX-License-Identifier: Apache-2.0
"""Name a piece of your own program, and scprof reports what it costs.

    import scprof

    with scprof.region("parse"):        # a region: to the end of the block, however it is left
        ...

    @scprof.region("reply")             # each call of a function, generator or coroutine function
    async def reply(request): ...

    @scprof.function                    # the same, by the function's own name
    def load(): ...

    scprof.point("sent")                # a point: the time since the thread's point before it
    scprof.point_stop()                 # the chain of points ends
    scprof.stop(); scprof.start()       # record nothing in this process, and record again

What regions and points are: docs/regions.md of scprof. CPython 3.8 and later, on Linux; nothing to
install but this file. Without libscprof.so, and on other interpreters, all of this does nothing.

A region lasts from its beginning to its end by the clock. Where it spans an `await` or a `yield`,
what other tasks do meanwhile is in it: regions of different tasks overlap, and end in any order.
It ends in the thread that began it: a region that ends in another one is given up, as is one that
a forked child inherits. Write `scprof.region` in each `with`; do not share what it returns.
"""

__all__ = ["region", "function", "point", "point_stop", "start", "stop"]

_NAMES_MOST = 4096  # libscprof.so's; others are counted only
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x120, 0x80, 0x200  # co_flags


class _Nothing:
    __slots__ = ()
    # Callables that are no functions get no `self`: nothing of Python is executed.
    __enter__ = tuple
    __exit__ = "".format  # "": an exception goes on

    def __call__(self, function):
        _flags(function)
        return function


_nothing = _Nothing()


def _flags(function):
    code = getattr(function, "__code__", None)
    flags = code.co_flags if code else 0
    if flags & _ASYNC_GENERATOR:
        raise TypeError("scprof.region: write `with` in an asynchronous generator")
    return flags


def _wrap(region, name, function):
    from functools import wraps

    flags = _flags(function)
    if flags & _COROUTINE:

        async def call(*args, **named):
            with region(name):
                return await function(*args, **named)

    elif flags & _GENERATOR:

        def call(*args, **named):
            with region(name):
                return (yield from function(*args, **named))

    else:

        def call(*args, **named):
            with region(name):
                return function(*args, **named)

    return wraps(function)(call)


def _find_library():
    """The path of the libscprof.so that this process has loaded, or None."""
    import sys  # an encoding that is named imports nothing, before Python 3.10, too

    try:
        with open("/proc/self/maps", encoding=sys.getfilesystemencoding(), errors="surrogateescape") as maps:
            for line in maps:
                path = line.rstrip("\n").partition("/")
                if path[2].rpartition("/")[2].startswith("libscprof.so"):
                    return "/" + path[2]
    except OSError:
        pass
    return None


def _load(path):
    """region, point, point_stop, start, stop as the library has them; None: it is an older one."""
    import ctypes
    import os
    from functools import partial
    from itertools import cycle

    class Site(ctypes.Structure):  # struct scprof_site
        _fields_ = [
            ("name", ctypes.c_char_p),
            ("fixed", ctypes.c_ulong),
            ("cache", ctypes.c_ulong * 6),
        ]

    class Sites(dict):
        def __missing__(self, name):
            fixed = len(self) < _NAMES_MOST  # it lives as long as the process, as a literal does
            site = ctypes.byref(Site(str(name).encode("utf-8", "replace"), fixed))
            return self.setdefault(name, site) if fixed else site

    # What converts an argument is in C, too. An int is passed with its lower 32 bits.
    class Name:
        from_param = Sites().__getitem__

    class Token:
        from_param = id

    class Given:
        from_param = callable

    # PyDLL keeps the GIL: that is cheaper, and no other thread's turn is in what is measured.
    library = ctypes.PyDLL(path, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
    api = (ctypes.c_void_p * 14).in_dll(library, "scprof_regions_1")  # struct scprof_api
    if (api[0] or 0) < ctypes.sizeof(api):
        return None

    def bind(at, *parameters):
        bound = ctypes.PYFUNCTYPE(None)(api[at])
        bound.argtypes = parameters
        return bound

    opened, closed = bind(10, Name, Token), bind(11, Token, Given, Given, Given)
    groups = memoryview(ctypes.c_uint32.from_address(api[12])).cast("B").cast("I")
    wanted = api[13]
    passed = cycle((True,) * 63 + (False,)).__next__  # while dormant: who calls to be woken

    # A bound method without a frame of Python's: a region's site is the line of its `with`.
    method = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(
        ("PyInstanceMethod_New", ctypes.pythonapi)
    )

    class Region:
        __slots__ = ()
        __exit__ = method(closed)

        def __call__(self, function):
            return _wrap(region, self.name, function)

    class Dormant(_Nothing):
        __slots__ = ("name",)
        __call__ = Region.__call__

    class Kinds(dict):
        def __missing__(self, name):
            if len(self) > _NAMES_MOST:
                return self[""]
            enter = method(partial(opened, name))
            own = {"__slots__": (), "__enter__": enter, "name": name}
            return self.setdefault(name, type("region", (Region,), own))

    class Dormants(dict):
        def __missing__(self, name):
            if len(self) > _NAMES_MOST:
                return self[""]
            nothing = Dormant()
            nothing.name = name
            return self.setdefault(name, nothing)

    kinds, dormants = Kinds(), Dormants()
    dormants[""], kinds[""]  # stand for further names, which the library has no room for either

    def region(name):
        if not groups[0] & wanted and passed():
            return dormants[name]
        return kinds[name]()

    return region, bind(6, Name), bind(7), bind(8), bind(9)


def _start():
    import sys

    path = _find_library() if sys.implementation.name == "cpython" else None
    try:
        return path and _load(path)
    except (ImportError, OSError, ValueError, AttributeError):
        return None  # an interpreter without ctypes, as a sub-interpreter with a GIL of its own


_loaded = _start()
if _loaded:
    region, point, point_stop, start, stop = _loaded
else:

    def region(name):
        return _nothing

    def point(name):
        pass

    def point_stop():
        pass

    start = stop = point_stop


def function(function):
    """@scprof.function: a region of each call, called as the function is."""
    return region(function.__qualname__)(function)

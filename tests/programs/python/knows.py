# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that knows its own stack: some 200 call sites, in all that Python has for calling Python. Usage: knows.py ROUNDS OUT [PART...]

It counts its calls (tally.py) and writes OUT.PID.json at the end, as its forked children and subinterpreters do. For Python 3.8 and
later; what later versions added is in TEXT_*."""
import asyncio
import atexit
import collections
import concurrent.futures
import contextlib
import copy
import ctypes
import functools
import gc
import heapq
import itertools
import json
import os
import pickle
import re
import signal
import sys
import threading
import types
import weakref

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tally
from tally import BAD, FD

X = b"x"
P = os.pwrite
call = functools.partial(os.pwrite, FD, X, 0)  # no Python function of its own
libc = ctypes.CDLL(None)                       # releases the GIL
held = ctypes.PyDLL(None)                      # does not
PARTS = []


def part(every=1):
    """A function that main() calls in one of `every` rounds."""
    def add(function):
        PARTS.append((function, every))
        return function
    return add


# ---- functions ----

def plain():
    P(FD, X, 0)
    call()
    os.pwrite(FD, X, 0); os.pwrite(FD, X, 0); call(), call()
    P(
        FD,
        X,
        0,
    )
    (P(FD, X, 0) +
     P(FD, X, 0)
     + P(
         FD, X, 0))
    P(*(FD, X, 0)); P(*[FD], *[X, 0])
    libc.pwrite(FD, X, 1, 0)
    held.pwrite(FD, X, 1, 0)
    return (call()
            and
            call())


def defaults(a=1, *args, b=2, **kwargs):
    call()
    return a


def nested(depth):
    def inner(n):
        call()
        return inner(n - 1) if n else call()
    return inner(depth)


def recurse(n):
    if n:
        recurse(n - 1)
    else:
        P(FD, X, 0)
    if n % 7 == 3:
        call()


def is_even(n):
    return call() if n == 0 else is_odd(n - 1)


def is_odd(n):
    return call() if n == 0 else is_even(n - 1)


def ackermann(m, n):
    call()
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


@part()
def functions():
    plain()
    defaults(); defaults(1, 2, 3); defaults(b=3); defaults(*[1, 2], **{"c": 4})
    nested(2)
    recurse(9)
    recurse(35)
    is_even(6); is_odd(6)
    (lambda: call())()
    (lambda f: f(f))(lambda f: call())
    [f() for f in (lambda: call(), lambda: P(FD, X, 0))]


@part(7)
def deep():
    recurse(120)
    ackermann(1, 2)


# ---- decorators, functools, C code that calls back ----

def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        call()
        try:
            return function(*args, **kwargs)
        finally:
            call()
    return wrapper


def with_options(times):
    def decorate(function):
        call()
        return lambda *args: [function(*args) for _ in range(times)]
    return decorate


@logged
@logged
def decorated():
    call()


@functools.lru_cache(maxsize=2)
def cached(n):
    return call()


@functools.singledispatch
def dispatched(value):
    call()


@dispatched.register(str)
def _(value):
    call()


class Comparable:
    def __init__(self, n): self.n = n
    def __lt__(self, other):
        call()
        return self.n < other.n
    def __eq__(self, other): return bool(call()) and self.n == other.n
    def __hash__(self): return call() * 0 + self.n % 2


@part()
def callbacks():
    decorated()
    with_options(2)(lambda: call())()
    for n in 1, 2, 3, 1:
        cached(n)
    dispatched(1); dispatched("")
    functools.partial(defaults, b=1)(2)
    functools.reduce(lambda a, b: call(), range(3))
    sorted([3, 1, 2], key=lambda n: call())
    sorted(map(Comparable, [3, 1, 2]))
    min([3, 1, 2], key=lambda n: call()), max(1, 2, key=lambda n: call())
    list(map(lambda n: call(), range(3))); list(map(P, [FD] * 2, [X] * 2, [0] * 2))
    list(filter(lambda n: call(), range(3)))
    heapq.heapify([Comparable(3), Comparable(1)])
    {Comparable(1): 1, Comparable(3): 2}.get(Comparable(3))
    [Comparable(1)].index(Comparable(1)); Comparable(1) in [Comparable(1)]
    re.sub("a", lambda m: str(call()), "banana")
    json.loads('{"a": {"b": 1}}', object_hook=lambda o: call())
    json.dumps({"a": Comparable}, default=lambda o: call())
    list(itertools.takewhile(lambda n: call(), range(2))); list(itertools.accumulate([1, 2], lambda a, b: call()))
    collections.defaultdict(lambda: call())[1]
    list(iter(lambda: call(), 1))
    copy.deepcopy(Copied()); pickle.loads(pickle.dumps(Copied()))
    "".join(str(Shown()) for _ in range(2)); f"{Shown()!r} {Shown():>3}"
    all(call() for _ in range(2)); sum(call() for _ in range(2)); any([call() == 0 for _ in range(2)])


class Copied:
    def __reduce__(self): return (copied, (call(),))


def copied(n):
    call()
    return Copied()


class Shown:
    def __repr__(self): return str(call())
    def __str__(self): return repr(self)
    def __format__(self, spec): return str(call())


COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
HELD = ctypes.PYFUNCTYPE(ctypes.c_int)


def compare(a, b):
    call()
    return a[0] - b[0]


def sort_by_c(depth):
    """C calls Python calls C calls Python ..."""
    def again(a, b):
        libc.pwrite(FD, X, 1, 0)
        if depth:
            sort_by_c(depth - 1)
        return compare(a, b)
    numbers = (ctypes.c_int * 2)(2, 1)
    libc.qsort(numbers, 2, 4, COMPARE(again))


@part(3)
def foreign():
    numbers = (ctypes.c_int * 4)(3, 1, 2, 0)
    libc.qsort(numbers, 4, 4, COMPARE(compare))
    held.qsort(numbers, 4, 4, COMPARE(compare))
    sort_by_c(2)
    HELD(lambda: call())()
    ctypes.pythonapi.PyRun_SimpleString(b"from tally import FD; import os\nos.pwrite(FD, b'x', 0)\n")
    evaluate = ctypes.pythonapi.PyObject_CallObject
    evaluate.restype, evaluate.argtypes = ctypes.py_object, [ctypes.py_object, ctypes.c_void_p]
    evaluate(plain, None)
    thread, started = ctypes.c_ulong(), START(lambda _: call() * 0) # a thread that C made
    libc.pthread_create(ctypes.byref(thread), None, started, None)
    libc.pthread_join(thread, None)


# ---- generators ----

def counting(n):
    for i in range(n):
        call()
        yield i
    call()
    return n


def delegating(n):
    call()
    got = yield from counting(n)
    call()
    yield from (call() for _ in range(got))


def echoing():
    try:
        while True:
            got = yield call()
            P(FD, X, got or 0)
    except KeyError:
        call()
        yield call()
    finally:
        call()


def tree(depth):
    if depth:
        yield from tree(depth - 1)
        yield call()
        yield from tree(depth - 1)


def reentered(box):
    yield [call() for _ in (1,)]
    try:
        next(box[0])
    except ValueError:
        call()
    yield


@part()
def generators():
    list(counting(2))
    for _ in delegating(2):
        call()
    echo = echoing()
    next(echo); echo.send(0); echo.throw(KeyError); echo.close()
    list(tree(3))
    a, *b = counting(2)
    box = []
    box.append(reentered(box))
    list(box[0])
    dropped = counting(3)
    next(dropped)
    del dropped
    unfinished = echoing()
    next(unfinished)
    del unfinished # its finally runs where it dies
    list(zip(counting(1), (call() for _ in range(2))))
    [call() for _ in range(2)]; {call() for _ in range(2)}; {call(): call() for _ in range(2)}
    [[call() for _ in range(2)] for _ in range(2)]
    [(lambda: call())() for _ in (1, 2) if call()]
    list(x for x in (call() for _ in counting(1)) if call())


# ---- classes ----

class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases, **kw): return {"made": call()}
    def __call__(cls, *args):
        call()
        return super().__call__(*args)
    def __instancecheck__(cls, other): return bool(call())


class Descriptor:
    def __set_name__(self, owner, name): call()
    def __get__(self, instance, owner): return call()
    def __set__(self, instance, value): call()
    def __delete__(self, instance): call()


class Operators:
    def __getattr__(self, name): return call()
    def __add__(self, other): return call()
    def __radd__(self, other): return call()
    def __iadd__(self, other): call(); return self
    def __neg__(self): return call()
    def __getitem__(self, key): return call()
    def __setitem__(self, key, value): call()
    def __delitem__(self, key): call()
    def __contains__(self, key): return bool(call())
    def __bool__(self): return bool(call())
    def __len__(self): return call()
    def __iter__(self): call(); return iter((1, 2))
    def __reversed__(self): return [call()]
    def __lt__(self, other): return call()
    def __eq__(self, other): return call()
    def __hash__(self): return call()
    def __call__(self, *args): return call()
    def __enter__(self): return call()
    def __exit__(self, *what): call(); return True
    def __index__(self): return call()
    def __class_getitem__(cls, item): return call()
    def __init_subclass__(cls): call()
    @property
    def shown(self): return call()
    @shown.setter
    def shown(self, value): call()
    @staticmethod
    def static(): call()
    @classmethod
    def of_class(cls): return cls.static()
    @functools.cached_property
    def once(self): return call()


class Dying:
    def __del__(self): call()


class Seen:
    def __getattribute__(self, name): return call()


@part()
def classes():
    class Local(metaclass=Meta):
        call()
        field = Descriptor()
        listed = [call() for _ in range(1)]

        def __init__(self):
            super().__init__()
            call()

        class Inner:
            call()

    local = Local()
    isinstance(1, Local)
    local.field; local.field = 1; del local.field
    o = Operators()
    o.missing; o + 1; 1 + o; o += 1; -o
    o[1]; o[1] = 2; del o[1]; 1 in o; o[1:2, ...]
    if o: call()
    while not o: pass
    bool(o) and (o or 1)
    len(o), [*o], list(reversed(o)), o < 1 < 2, o == 1, hash(o), o(1, *o, **{})
    with o: raise KeyError
    with o, o as p: call()
    range(o); [0, 1][o]; Operators[int]; o.shown; o.shown = 1; o.of_class(); o.once
    type("Sub", (Operators,), {"method": lambda self: call()})().method()
    Seen().anything; getattr(Seen(), "x"); hasattr(Operators(), "y")
    Dying()
    [Dying() for _ in range(2)]
    alive = Dying()
    weakref.finalize(alive, lambda: call())
    ref = weakref.ref(alive, lambda _: call())
    del alive
    return ref


@part(5)
def cycles():
    for _ in range(3):
        a = Dying()
        a.self = a
    del a
    gc.collect()


# ---- exceptions, contexts ----

@contextlib.contextmanager
def managed(fails=False):
    call()
    try:
        yield call()
    except KeyError:
        call()
    finally:
        call()
    if fails:
        raise ValueError


class Raising:
    def __enter__(self): call(); return self
    def __exit__(self, *what): call(); raise OSError


def raising(n):
    try:
        if n:
            raising(n - 1)
        raise KeyError(call())
    except KeyError as error:
        call()
        raise ValueError from error
    else:
        call()
    finally:
        call()


@part()
def exceptions():
    with managed(), managed() as m:
        call()
        raise KeyError
    for fails in False, True:
        with contextlib.suppress(ValueError, OSError), managed(fails), Raising():
            call()
    try:
        raising(3)
    except ValueError:
        call()
    try:
        P(BAD, X, call() * 0)
    except OSError:
        call()
    try:
        assert not call(), call()
    except AssertionError:
        call()
    else:
        call()
    with contextlib.ExitStack() as stack:
        stack.callback(call)
        stack.callback(lambda: call())
        stack.enter_context(managed())
    for _ in (1, 2):
        try:
            continue
        finally:
            call()


# ---- text that becomes code ----

TEXT_SMALL = "{indent}\ndef made_{n}():\n{indent}\n    return call()\nmade_{n}()\n"
TEXT_FAR = "def far(a):\n    call()\n" + "\n" * 70000 + "    (call(),\n" + "\n" * 300 + "    call(\n))\n    return call()\nfar(1)\n"
TEXT_LONG = "def long():\n    a = call()\n" + "".join(f"    b{i} = a + {i}; a.real\n" for i in range(400)) + "    return call()\nlong()\n"
TEXT_NAMES = "def größe(n):\n    return call()\ndef имя():\n    return größe(1)\ndef \U0001d4d0\U0001d4d1(): return имя()\n\U0001d4d0\U0001d4d1()\n"
TEXT_3_10 = """
def matched(value):
    match value:
        case int() if call() > 1:
            return call()
        case [a, *rest]:
            return call()
        case {"key": k}:
            return call()
        case _ if call():
            return matched([1])
matched(1); matched([1, 2]); matched({"key": 1}); matched("")
with (managed() as a,
      managed() as b):
    call()
"""
TEXT_3_11 = """
def grouped():
    try:
        raise ExceptionGroup("g", [KeyError(call()), ValueError()])
    except* KeyError:
        call()
    except* ValueError:
        call()
grouped()
"""
TEXT_3_12 = """
def generic[T: (int, str)](a: T, b=call()) -> T:
    return call()
class Generic[T]:
    call()
    def method[U](self): return call()
type Alias = [call() for _ in range(2)]
generic(1); Generic().method(); Alias.__value__
print(f"{call() and f'{call()}'}" * 0, end="")
"""
TEXTS = [TEXT_FAR, TEXT_LONG, TEXT_NAMES] + [t for v, t in ((10, TEXT_3_10), (11, TEXT_3_11), (12, TEXT_3_12))
                                             if sys.version_info >= (3, v)]
# A name of each width that the interpreter has for text.
CODES = [compile(text, name, "exec") for text, name in zip(TEXTS, itertools.cycle(["<text>", "größe.py", "имя/x.py", "\U0001f40d.py"]))]


def small(n):
    """A code object that is gone when this ends; the next one of its size takes its address."""
    exec(compile(TEXT_SMALL.format(n=n % 5, indent="\n" * (n % 3)), "<small>", "exec"), {"call": call})


@part()
def texts():
    for n in range(10):
        small(n)
    for n in range(3):
        eval("call() + (lambda: call())()")
        eval(compile("\n" * n + "[call() for _ in range(1)]", "eval %d" % n, "eval"))
    for code in CODES:
        exec(code, dict(globals()))
    for n in range(4): # equal but for the line, one after the other at one address
        function = types.FunctionType(plain.__code__.replace(co_firstlineno=1000 + n % 2), globals())
        function()
        del function
    fresh = types.ModuleType("fresh")
    exec("def __getattr__(name): return call()", fresh.__dict__.__class__(call=call), fresh.__dict__)
    fresh.__dict__["call"] = call
    fresh.anything


class Finder:
    """Imports a module that has no file, through importlib's own Python functions."""
    def find_spec(self, name, path, target=None):
        import importlib.machinery
        return importlib.machinery.ModuleSpec(name, self) if name == "known_module" and not call() * 0 else None
    def create_module(self, spec): return None
    def exec_module(self, module):
        module.call = call
        exec("call()\ndef at_import(): call()\nat_import()\n", module.__dict__)


@part(5)
def imports():
    sys.meta_path.insert(0, finder)
    import known_module
    known_module.at_import()
    del sys.modules["known_module"]
    sys.meta_path.remove(finder)


finder = Finder()


# ---- threads, signals, processes, interpreters ----

class Worker(threading.Thread):
    def run(self):
        call()
        functions()
        local.value = Dying()


local = threading.local()
lock = threading.Lock()


@part(10)
def threads():
    workers = [Worker(), Worker(), threading.Thread(target=generators), threading.Thread(target=P, args=(FD, X, 0)),
               threading.Thread(target=lambda: call())]
    for worker in workers:
        worker.start()
    classes()
    for worker in workers:
        worker.join()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda n: call(), range(3)))
        pool.submit(recurse, 3).add_done_callback(lambda _: call())
    timer = threading.Timer(0, call)
    timer.start()
    timer.join()
    import _thread
    lock.acquire()
    _thread.start_new_thread(Bare(), ())
    with lock:
        pass


class Bare:
    """A thread's function without Thread: its frames are all there are."""
    def __call__(self):
        recurse(2)
        lock.release()


def on_signal(number, frame):
    call()
    if number == signal.SIGUSR1:
        os.kill(os.getpid(), signal.SIGUSR2)
        call()


@part(2)
def signals():
    os.kill(os.getpid(), signal.SIGUSR1)
    for _ in range(5):
        call()
    signal.raise_signal(signal.SIGUSR2)
    call()


def forked():
    call()
    pid = os.fork()
    call()
    if pid == 0:
        status = 1
        try:
            functions()
            tally.write("%s.%d.json" % (OUT, os.getpid()))
            status = 0
        finally:
            os._exit(status)
    os.waitpid(pid, 0)


@part(200)
def processes():
    forked()
    thread = threading.Thread(target=forked)
    thread.start()
    thread.join()


SUB = """
import sys
sys.path.insert(0, {folder!r})
import os, tally
def inside(n):
    os.pwrite(tally.FD, b"x", 0)
    return inside(n - 1) if n else None
inside(2)
tally.write({out!r})
"""
subs = itertools.count()


@part(200)
def interpreters():
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    call()
    sub = interpreters.create()
    script = SUB.format(folder=os.path.dirname(os.path.abspath(tally.__file__)), out="%s.%d.sub%d.json" % (OUT, os.getpid(), next(subs)))
    failed = interpreters.run_string(sub, script)
    assert not failed, failed
    call()
    interpreters.destroy(sub)
    call()


# ---- asyncio ----

class Awaited:
    def __await__(self):
        call()
        yield from asyncio.sleep(0).__await__()
        return call()


class Stream:
    def __aiter__(self): call(); self.n = 0; return self
    async def __anext__(self):
        call()
        self.n += 1
        if self.n > 2:
            raise StopAsyncIteration
        return self.n
    async def __aenter__(self): call(); await asyncio.sleep(0); call()
    async def __aexit__(self, *what): call()


async def stream(n):
    for i in range(n):
        call()
        yield i
        await asyncio.sleep(0)
        call()


async def leaf(n):
    call()
    await asyncio.sleep(0)
    call()
    if n:
        await leaf(n - 1)
    return call()


async def failing():
    try:
        await asyncio.sleep(0)
        raise KeyError
    finally:
        call()


async def cancelled():
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        call()
        raise


async def program():
    loop = asyncio.get_running_loop()
    await leaf(2)
    await asyncio.gather(leaf(1), leaf(2))
    await Awaited()
    async for _ in stream(2): call()
    async for _ in Stream(): call()
    async with Stream(), contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(leaf, 0)
        call()
    [call() async for _ in stream(1)]; [await leaf(0) for _ in range(2)]
    task = asyncio.ensure_future(cancelled())
    await asyncio.sleep(0)
    task.add_done_callback(lambda _: call())
    task.cancel()
    await asyncio.gather(task, failing(), return_exceptions=True)
    done = loop.create_future()
    loop.call_soon(call)
    loop.call_soon(lambda: call())
    loop.call_soon(done.set_result, 1)
    await done
    await asyncio.wait_for(leaf(0), 60)
    queue = asyncio.Queue()
    consumer = asyncio.ensure_future(consume(queue))
    for n in 1, 2, 0:
        await queue.put(n)
    await consumer
    abandoned = stream(2)
    await abandoned.__anext__()
    await loop.run_in_executor(None, lambda: call())


async def consume(queue):
    while await queue.get():
        call()


@part(10)
def asynchronous():
    asyncio.run(program())


# ---- beside other users of the interpreter ----

def tracer(frame, event, arg):
    if frame.f_code.co_filename != __file__:
        return None
    call()
    return tracer


def profiler(frame, event, arg):
    if event == "c_call" and arg is P and frame.f_code.co_filename == __file__:
        call()


@part(4)
def traced():
    for hook in sys.settrace, sys.setprofile:
        hook(tracer if hook is sys.settrace else profiler)
        try:
            nested(1)
            list(delegating(1))
            with contextlib.suppress(ValueError):
                raising(1)
            plain()
        finally:
            hook(None)


def known(rounds, names):
    parts = [(f, every) for f, every in PARTS if not names or f.__name__ in names]
    for n in range(rounds):
        for function, every in parts:
            if n % every == 0:
                function()


if __name__ == "__main__":
    OUT = sys.argv[2]
    signal.signal(signal.SIGUSR1, on_signal)
    signal.signal(signal.SIGUSR2, on_signal)
    sys.setrecursionlimit(2000)
    known(int(sys.argv[1]), sys.argv[3:])
    tally.write("%s.%d.json" % (OUT, os.getpid()))
    os._exit(0)

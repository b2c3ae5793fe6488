# SPDX-License-Identifier: GPL-3.0-or-later
"""The throughput of the shapes of tests/bench/causal/shapes.c by algebra: units a second, were waking a
thread free and every CPU its own.

serial: 1 / sum of the means. Pipelines with calls of exponential length: birth and death, the
blocked first stage being a place more. closed: birth and death, thinking is a delay station, so
its law does not matter. open: what arrives. The others have no closed form with random lengths:
their recursion in (max, +) is computed over UNITS units, with the same random numbers for all
variants, so that gains are more exact than throughputs."""
import functools
import random

UNITS = 200_000
DEFAULTS = {  # as in shapes.c
    "serial": {"a": 100, "b": 60, "c": 40, "law": "uniform"},
    "pipeline": {"a": 120, "b": 200, "law": "uniform", "room": 16},
    "balanced": {"a": 200, "b": 200, "law": "uniform", "room": 16},
    "queue": {"a": 150, "b": 200, "law": "exponential", "room": 4},
    "convoy": {"a": 200, "b": 60, "law": "uniform", "clients": 2},
    "fork": {"a": 200, "b": 60, "c": 80, "law": "uniform"},
    "closed": {"a": 300, "b": 20, "law": "exponential", "clients": 4, "think": 300},
    "open": {"a": 150, "b": 100, "law": "uniform", "rate": 1500},
}
SITES = "abcd"


@functools.cache
def factors(law, stream, count):
    draw = random.Random(stream)
    if law == "constant":
        return [1.0] * count
    if law == "uniform":
        return [0.5 + draw.random() for _ in range(count)]
    return [draw.expovariate(1) for _ in range(count)]


def lengths(s, site, count=UNITS):
    return [s[site] * f for f in factors(s["law"], site, count)]


def serial(s):
    return 1e6 / sum(s[x] for x in SITES if x in s)


def pipeline(s):
    if s["law"] == "exponential":
        places, r = s["room"] + 2, s["b"] / s["a"]
        full = 1 / (places + 1) if r == 1 else (1 - r) * r**places / (1 - r**(places + 1))
        return 1e6 / s["a"] * (1 - full)
    a, b, room = lengths(s, "a"), lengths(s, "b"), s["room"]
    put = done = 0.0
    taken = [0.0] * UNITS
    for n in range(UNITS):
        put += a[n]
        if n >= room:
            put = max(put, taken[n - room])
        taken[n] = max(put, done)
        done = taken[n] + b[n]
    return 1e6 * UNITS / done


def convoy(s):
    a, b, clients = lengths(s, "a"), lengths(s, "b"), s["clients"]
    wants = [0.0] * clients
    free = 0.0
    for n in range(UNITS):
        i = wants.index(min(wants))
        free = max(free, wants[i]) + a[n]
        wants[i] = free + b[n]
    return 1e6 * UNITS / free


def fork(s):
    return 1e6 * UNITS / sum(max(a, b) + c for a, b, c in zip(lengths(s, "a"), lengths(s, "b"), lengths(s, "c")))


def closed(s):
    """Machine repairmen: n of the clients wait for the two workers or are served."""
    think, k = s["think"] + s["b"], s["clients"]
    p = [1.0]
    for n in range(k):
        p.append(p[n] * (k - n) / think * s["a"] / min(n + 1, 2))
    return 1e6 * sum(p[n] * min(n, 2) for n in range(k + 1)) / s["a"] / sum(p)


def open_loop(s):
    return min(s["rate"], 1e6 / (s["a"] + s["b"]))


LAWS = {"serial": serial, "pipeline": pipeline, "balanced": pipeline, "queue": pipeline, "convoy": convoy, "fork": fork,
        "closed": closed, "open": open_loop}


def settings(shape, arguments=()):
    """Of `algebra SHAPE ARGUMENT...`."""
    s = dict(DEFAULTS[shape])
    for argument in arguments:
        name, value = argument.split("=")
        s[name] = value if name == "law" else int(value) if name in ("room", "clients") else float(value)
    for site in SITES:
        if f"faster_{site}" in s:
            s[site] *= 1 - s[f"faster_{site}"] / 100
    return s


@functools.cache
def throughput(shape, arguments=()):
    return LAWS[shape](settings(shape, arguments))


def gain(shape, arguments, site, percent):
    """Percent more throughput by so many percent less time of each call at the site."""
    return 100 * (throughput(shape, (*arguments, f"faster_{site}={percent}")) / throughput(shape, tuple(arguments)) - 1)


def sites(shape):
    return [x for x in SITES if x in DEFAULTS[shape]]

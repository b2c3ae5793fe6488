#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks a scraped page against OpenMetrics 1.0 or the text format 0.0.4, and against itself.

check_openmetrics.py openmetrics|text FILE [BEFORE]

Written from the specifications, not from what scprof prints: names, escapes, one block a family,
suffixes by type, units, no series twice, the last line; and that a mean lies in its interval,
squares are at least what the mean asks for (Cauchy-Schwarz), and errors are at most the calls.
With BEFORE, an earlier page: no counter is less than it was, and none is gone.
Prints "N families, N series" and exits 0, or says what is wrong and exits 1.
"""
import math
import re
import sys

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?([eE][+-]?\d+)?|Inf|NaN)\Z")
SUFFIX = {"counter": "_total", "gauge": ""}


class Bad(Exception):
    pass


def parse_labels(text):
    """'{a="b",...} rest' -> {a: b}, rest. Escapes: backslash, quote, n."""
    labels, at = {}, 1
    while text[at] != "}":
        equals = text.index("=", at)
        name = text[at:equals]
        if not LABEL.match(name) or name in labels or text[equals + 1] != '"':
            raise Bad(f"label {name!r}")
        at, value = equals + 2, ""
        while text[at] != '"':
            if text[at] == "\\":
                at += 1
                value += {"\\": "\\", '"': '"', "n": "\n"}[text[at]]
            else:
                value += text[at]
            at += 1
        labels[name] = value
        at += 1
        if text[at] == ",":
            at += 1
            if text[at] == "}":
                raise Bad("a comma before }")
        elif text[at] != "}":
            raise Bad(f"after a label: {text[at]!r}")
    return labels, text[at + 1:]


def parse_sample(line):
    end = re.match(r"[^ {]*", line).end()
    name, rest, labels = line[:end], line[end:], {}
    if rest.startswith("{"):
        labels, rest = parse_labels(rest)
    if not NAME.match(name) or not rest.startswith(" "):
        raise Bad("neither comment nor sample")
    value = rest[1:]
    if not NUMBER.match(value):
        raise Bad(f"value {value!r}")
    return name, tuple(sorted(labels.items())), float(value)


def take_comment(line, families, current, openmetrics):
    parts = line.split(" ", 3)
    if len(parts) < 4 or parts[0] != "#" or parts[1] not in ("TYPE", "HELP", "UNIT"):
        raise Bad("a comment that says nothing")
    _, kind, name, text = parts
    if name != current:
        if name in families:
            raise Bad(f"family {name} in two pieces")
        families[name] = {}
    if kind in families[name]:
        raise Bad(f"{kind} twice")
    if families[name].get("samples"):
        raise Bad("a comment behind samples")
    if kind == "TYPE" and text not in SUFFIX:
        raise Bad(f"type {text}")
    if kind == "UNIT" and (not openmetrics or not name.endswith("_" + text)):
        raise Bad("unit and name do not go together")
    families[name][kind] = text
    return name


def take_sample(line, families, current, openmetrics, series):
    name, labels, value = parse_sample(line)
    family = families.get(current) or {}
    kind = family.get("TYPE")
    if not kind or "HELP" not in family:
        raise Bad("a sample without type or help")
    expected = current + SUFFIX[kind] if openmetrics else current
    if name != expected:
        raise Bad(f"{name} in the family {current}")
    if kind == "counter" and not (name.endswith("_total") and value >= 0):
        raise Bad("a counter that is none")
    if (name, labels) in series:
        raise Bad("a series twice")
    series[name, labels] = value
    family["samples"] = True


def parse(path, openmetrics):
    families, series, current = {}, {}, None
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")  # strict
    if not text.endswith("\n") or "\r" in text:
        raise Bad("line ends")
    lines = text[:-1].split("\n")
    if openmetrics and lines.pop() != "# EOF":
        raise Bad("the last line is not # EOF")
    for number, line in enumerate(lines, 1):
        try:
            if line.startswith("#"):
                current = take_comment(line, families, current, openmetrics)
            else:
                take_sample(line, families, current, openmetrics, series)
        except (Bad, IndexError, KeyError, ValueError) as error:
            raise Bad(f"line {number}: {error}: {line[:200]}") from None
    return families, series


def check_sense(series):
    for (name, labels), value in series.items():
        if name == "scprof_mean_seconds":
            low = series["scprof_mean_low_seconds", labels]
            high = series["scprof_mean_high_seconds", labels]
            if not (math.isnan(low) or low <= value <= high):
                raise Bad(f"mean {value} outside {low} to {high}")
        if name == "scprof_square_seconds_total":
            calls = series["scprof_calls_total", labels]
            seconds = series["scprof_seconds_total", labels]
            if calls and value * calls < seconds * seconds * (1 - 1e-6):
                raise Bad(f"squares {value} of {calls} calls in {seconds} s")
        if name == "scprof_errors_total":
            calls = sum(v for (n, l), v in series.items()
                        if n == "scprof_calls_total" and set(labels) <= set(l))
            if value > calls:
                raise Bad(f"{value} errors of {calls} calls")


def check_after(series, before):
    for key, value in before.items():
        if not key[0].endswith("_total"):
            continue
        if key not in series:
            raise Bad(f"{key} is gone")
        if series[key] < value:
            raise Bad(f"{key} went from {value} to {series[key]}")


def main(kind, path, before=None):
    openmetrics = kind == "openmetrics"
    families, series = parse(path, openmetrics)
    check_sense(series)
    if before:
        check_after(series, parse(before, openmetrics)[1])
    print(f"{len(families)} families, {len(series)} series")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Bad as error:
        print(f"check_openmetrics: {error}", file=sys.stderr)
        sys.exit(1)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences that a user reads have at most 25 words: those of each command's --help, of each
`scprof explain CODE`, and of the texts in the page's and the report's sources.

check_words.py TOOL: prints each longer sentence and its place; status 1 if there is one."""

import glob
import os
import re
import subprocess
import sys

MOST_WORDS = 25
SOURCES = ["report/render/html/page/*.js", "report/render/html/page/*.html", "report/serve/pages/*.c",
           "report/model/*.c", "report/findings/*.c", "report/render/text/*.c", "report/compare/*.c"]
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')


def sentences(text):
    return re.split(r"(?<=[.!?])\)?\s+", text)


def long_ones(text):
    for sentence in sentences(" ".join(text.split())):
        words = [w for w in sentence.split() if re.search(r"[A-Za-z0-9]", w)]
        if len(words) > MOST_WORDS:
            yield len(words), sentence


def printed(tool, *arguments):
    plain = dict(os.environ, LC_ALL="C", COLUMNS="100")
    return subprocess.run([tool, *arguments], env=plain, capture_output=True, text=True,
                          check=True, timeout=10).stdout


def paragraphs(text):
    """Of what is indented alike; a table's second column is a text of its own."""
    lines, place = [], None
    for line in text.splitlines() + [""]:
        columns = re.match(r"( *)(.*?)(?:  +(\S.*))?$", line)
        indent, first, second = len(columns[1]), columns[2], columns[3]
        at = line.index(second, indent + len(first)) if second else indent
        if not line.strip() or second or at != place:
            if lines:
                yield " ".join(lines)
            lines = []
        place = at
        if line.strip() and not first.lower().startswith("usage:"):
            lines.append(second or first)
    if lines:
        yield " ".join(lines)


def of_tool(tool):
    explained = re.findall(r"^ *([a-z]+(?:-[a-z]+)*) {2,}", printed(tool, "explain"), re.M)
    names = re.findall(r"^ {2,}([a-z]+) {2,}", printed(tool, "--help"), re.M)
    if len(explained) < 30 or len(names) < 10:
        sys.exit("check_words.py: too few codes or commands were found")
    for code in explained:
        yield f"explain {code}", printed(tool, "explain", code).split("\n", 1)
    for name in names:
        yield f"{name} --help", paragraphs(printed(tool, name, "--help"))


def of_source(path):
    """Text of strings that stand one after the other, and of elements."""
    with open(path, encoding="utf-8") as file:
        source = re.sub(r"^\s*(//|/\*|\*).*$", "", file.read(), flags=re.M)
    if path.endswith(".html"):
        return re.findall(r">([^<]+)<", source)
    found = []
    for match in STRING.finditer(source):
        found.append("".join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', match[0])).replace("\\n", " "))
    if path.endswith(".js"):
        found += re.findall(r"`([^`]*)`", source)
    return found


def main():
    places = list(of_tool(sys.argv[1]))
    for pattern in SOURCES:
        places += [(path, of_source(path)) for path in sorted(glob.glob(pattern))]
    longer = [(place, words, sentence) for place, texts in places for text in texts
              for words, sentence in long_ones(text)]
    for place, words, sentence in longer:
        print(f"{place}: {words} words: {sentence}")
    return 1 if longer else 0


if __name__ == "__main__":
    sys.exit(main())

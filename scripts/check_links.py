#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the documents' links lead somewhere? Every relative link and picture of the Markdown files, its
#heading too; and every file in docs/ that any file of the project mentions. Exit status: 0 all do,
1 some do not, each with its file and line."""
import os
import re
import subprocess
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"\s]+)\"")
MENTION = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.(?:md|json|svg|png|txt|csv)")
FENCE = re.compile(r"^(```|~~~)")


def project_files():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if os.path.isfile(name)]


def text_of(name):
    try:
        with open(name, encoding="utf-8") as f:
            return f.read()
    except UnicodeDecodeError:
        return ""


def outside_code(text):
    """(line number, line) of a Markdown text, code left out."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line.strip()):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "", line)


def headings(name):
    """The anchors that the headings of a Markdown file make, as forges derive them."""
    anchors = set()
    for _, line in outside_code(re.sub(r"`([^`\n]*)`", r"\1", text_of(name))):
        if line.startswith("#"):
            title = line.lstrip("#").strip().lower()
            anchors.add(re.sub(r"[^\w\- ]", "", title).replace(" ", "-"))
    return anchors


def broken_links(name):
    for number, line in outside_code(text_of(name)):
        for found in LINK.finditer(line):
            target, _, anchor = (found.group(1) or found.group(2)).partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), target)) if target else name
            if not os.path.exists(path):
                yield number, f"no {target}"
            elif anchor and path.endswith(".md") and anchor not in headings(path):
                yield number, f"{path} has no heading #{anchor}"


def broken_mentions(name):
    for number, line in enumerate(text_of(name).splitlines(), 1):
        for found in MENTION.finditer(line):
            if not os.path.exists(found.group()):
                yield number, f"no {found.group()}"


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
    broken = 0
    for name in project_files():
        wrong = list(broken_mentions(name))
        if name.endswith(".md"):
            wrong += broken_links(name)
        for number, what in wrong:
            print(f"{name}:{number}: {what}")
        broken += len(wrong)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

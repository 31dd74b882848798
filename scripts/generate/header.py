#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what client.h tells as lists for scripts/fill-template: header.py OUTPUT client.h

A comment is of the functions that follow it without a blank line between; `---- TITLE: TEXT` in one begins a section. @NAME is an argument.
"""

import json
import pathlib
import re
import sys

PIECE = re.compile(r"/\*(?P<comment>.*?)\*/|^(?P<typedef>typedef struct.*?|enum) \{\n(?P<body>.*?)^\}[^\n]*;|^(?P<function>(?:const )?\w+ [^;{}#]*?\);)|(?P<blank>\n\n)", re.M | re.S)
CONSTANT = re.compile(r"^ +(BENCHD_\w+)(?: = [^,]*)?, */\* (.*?) \*/", re.M)


def words(comment):
    return " ".join(re.sub(r"^ *\*", "", comment, flags=re.M).split())


def pieces(header):
    """Each (kind, text) in order, from the first section on."""
    start = header.index("#pragma GCC visibility push(default)")
    for found in PIECE.finditer(header, start):
        yield found.lastgroup if found.lastgroup != "body" else "body", found[found.lastgroup]


class Sections:
    """Functions by section, each with its comment."""

    def __init__(self):
        self.all, self.comment, self.entry = [], "", None

    def take_comment(self, text):
        if text.startswith("---- "):
            title, _, rest = text.removeprefix("---- ").partition(":")
            self.all.append({"title": title, "text": rest.strip(), "entries": []})
        else:
            self.comment = text

    def take_function(self, prototype):
        if self.entry is None:
            if not self.comment:
                sys.exit(f"client.h: {prototype} has no comment")
            self.entry = {"prototypes": [], "text": self.comment}
            self.all[-1]["entries"].append(self.entry)
        self.entry["prototypes"].append(" ".join(prototype.split()))

    def end(self):
        """A blank line."""
        self.comment, self.entry = "", None


def main(output, path):
    header, sections, constants = pathlib.Path(path).read_text(), Sections(), {}
    for kind, text in pieces(header):
        if kind == "comment":
            sections.take_comment(words(text))
        elif kind == "function" and sections.all:
            sections.take_function(text)
        elif kind == "body":
            for name, meaning in CONSTANT.findall(text):
                constants.setdefault("_".join(name.split("_")[:2]), []).append({"name": name, "text": meaning})
        elif kind == "blank":
            sections.end()
    pathlib.Path(output).write_text(json.dumps({"functions": [section for section in sections.all if section["entries"]], "constants": constants}, indent=2) + "\n")


main(*sys.argv[1:])

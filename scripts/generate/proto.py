# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads our .proto files with their comments: a regular part of the language, an entry a line. Nothing but Python is needed for it.

The head of proto/benchd.proto tells how a comment is written.
"""

import pathlib
import re
import sys
from dataclasses import dataclass, field

sys.dont_write_bytecode = True

FIELD = re.compile(r"(?:(optional|required|repeated) )?([\w.]+|map<string, \w+>) (\w+) = (\d+)(?: \[packed = true\])?;")
VALUE = re.compile(r"(\w+) = (\d+);")
OPENING = re.compile(r"(message|enum) (\w+) \{")
NOTES = re.compile(r"\[([^\]]+)\] ?")


@dataclass(eq=False)
class Entry:
    """A field, a value of an enumeration, a message or an enumeration; @notes are the words in brackets that its comment begins with."""

    name: str
    comment: str = ""
    notes: list = field(default_factory=list)
    parent: object = None
    label: str = ""
    type: str = ""
    number: int = 0
    entries: list = field(default_factory=list)  # fields of a message, values of an enumeration
    inner: dict = field(default_factory=dict)    # messages and enumerations within a message
    is_enum: bool = False

    def add_comment(self, text):
        self.comment = f"{self.comment} {text}".strip()

    def finish(self):
        found = NOTES.match(self.comment)
        if found:
            self.notes, self.comment = found[1].split(", "), self.comment[found.end():]


class Reader:
    def __init__(self, path):
        self.path, self.number, self.top, self.all = path, 0, Entry(""), []
        self.here, self.last, self.above = self.top, None, []

    def fail(self, why):
        sys.exit(f"{self.path}:{self.number}: {why}")

    def add(self, entry):
        entry.parent = self.here
        self.all.append(entry)
        return entry

    def opening(self, kind, name):
        entry = self.add(Entry(name, comment=" ".join(self.above), is_enum=kind == "enum"))
        self.here.inner[name] = entry
        self.here = self.last = entry

    def statement(self, text):
        if found := OPENING.fullmatch(text):
            self.opening(*found.groups())
        elif text == "}":
            self.here, self.last = self.here.parent, None
        elif found := FIELD.fullmatch(text):
            self.last = self.add(Entry(found[3], label=found[1] or "", type=found[2], number=int(found[4])))
            self.here.entries.append(self.last)
        elif (found := VALUE.fullmatch(text)) and self.here.is_enum:
            self.last = self.add(Entry(found[1], number=int(found[2])))
            self.here.entries.append(self.last)
        elif not re.fullmatch(r"(syntax|package|import|reserved) ?.*;", text):
            self.fail(f"not understood: {text}")

    def line(self, line):
        """A comment behind an entry is of it, as are lines of comment alone below it; such lines above a message are the message's."""
        text, _, comment = (part.strip() for part in line.partition("//"))
        if text:
            self.statement(text)
            if comment and self.last:
                self.last.add_comment(comment)
            self.above = []
        elif comment and self.last and not line.startswith("//"):
            self.last.add_comment(comment)
        elif comment:
            self.above.append(comment)
        else:
            self.last, self.above = None, []

    def read(self):
        for self.number, line in enumerate(pathlib.Path(self.path).read_text().splitlines(), 1):
            self.line(line)
        for entry in self.all:
            entry.finish()
        return self.top.inner


def read(*paths):
    """The messages and enumerations of all @paths, each by its name."""
    return {name: entry for path in paths for name, entry in Reader(path).read().items()}


def find(messages, name, within=None):
    """The message or enumeration that a field of @within names as its type; None for a scalar."""
    while within is not None:
        if name in within.inner:
            return within.inner[name]
        within = within.parent
    first, _, rest = name.partition(".")
    found = messages.get(first)
    return found.inner.get(rest) if found and rest else found

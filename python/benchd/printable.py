# SPDX-License-Identifier: MIT
"""Texts of a module, a daemon or another machine on their way to people: without control characters, which could move a terminal's cursor
or make it answer, and without those that turn the direction of what is read. benchctl does the same."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text in one line: white space becomes a space, all else that cannot be printed a question mark."""
    return "".join(character if character.isprintable() else " " if character.isspace() else "?" for character in text)


def printable_lines(text: str) -> str:
    """The same, but line ends stay."""
    return "\n".join(map(printable, text.split("\n")))

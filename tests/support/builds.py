# SPDX-License-Identifier: GPL-3.0-or-later
"""The build of a program of the daemon's (daemon/ops/build.h), in its file: a mark of 16 bytes, and the text in 64 more."""

import re

MARK = b"benchd build: ".ljust(16, b"\0")
TEXT_BYTES = 64


def build_of(program):
    """The place of the text in its file, where it stands once, and the text."""
    (found,) = re.finditer(re.escape(MARK) + rb"([0-9][^\0]+\))\0+", program.read_bytes())
    return found.start(1), found[1]


def in_file(text):
    return MARK + text.ljust(TEXT_BYTES, b"\0")


def pass_for(program, other):
    """Makes a program of a test's own tell the build of @other, behind all that is in it."""
    program.write_bytes(program.read_bytes() + in_file(build_of(other)[1]))

# SPDX-License-Identifier: GPL-3.0-or-later
"""The default table, byte for byte: each NAME.json here and below makes the NAME.txt beside it.

A change that is meant: golden-table NAME.json > NAME.txt, and read the difference before it is committed.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).parent
environment = dict(os.environ, TZ="CET-1")


def table(program, path, *options):
    return subprocess.run([program, path, *options], env=environment, stdout=subprocess.PIPE, check=True).stdout.decode()


def check(program, path):
    """Returns complaints about the table of the result at path."""
    found = table(program, path)
    expected = path.with_suffix(".txt").read_text()
    colored = table(program, path, "--color")
    complaints = list(difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found", lineterm=""))
    if re.sub("\033\\[[0-9]*m", "", colored) != found:
        complaints.append("colours change more than colours")
    if any(line != line.rstrip() for line in found.splitlines()):
        complaints.append("a line ends in a space")
    return complaints


def main(program):
    paths = sorted(here.rglob("*.json"))
    complaints = [f"{path.name}: {line}" for path in paths for line in check(program, path)]
    print("\n".join(complaints))
    print(f"{len(paths)} tables")
    return 1 if complaints or not paths else 0


sys.exit(main(*sys.argv[1:]))

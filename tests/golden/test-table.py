# SPDX-License-Identifier: GPL-3.0-or-later
"""What benchctl shows, byte for byte: each NAME.json here, completed by documents.py, makes the files NAME[.VARIANT...].txt beside it.

A variant is a width, such as 80 (without one: 100), the name of a format, "plot" (a result's pictures), "ascii", or the unit of all times, such
as us. A change that is meant: ninja golden-texts writes them anew; read the difference before it is committed.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys

UNITS = "ns", "us", "ms", "s"

here = pathlib.Path(__file__).parent
environment = dict(os.environ, TZ="CET-1")


def table(program, path, *options):
    return subprocess.run([program, path, *options], env=environment, stdout=subprocess.PIPE, check=True).stdout.decode()


def options_of(variants):
    """The command line of golden-table for the variants of a file's name, and the width that it keeps."""
    widths = [int(variant) for variant in variants if variant.isdigit()]
    width = widths[0] if widths else 100
    units = [variant for variant in variants if variant in UNITS]
    formats = [variant for variant in variants if not variant.isdigit() and variant not in (*UNITS, "ascii")]
    words = formats + [f"--width={width}"] + ["--ascii"] * ("ascii" in variants) + [f"--unit={unit}" for unit in units]
    return words, width if formats in ([], ["plot"]) else None


def in_ascii(text):
    """A pattern of the text with a character of ASCII, not the one for those without a likeness, for each one beyond."""
    return "".join(re.escape(character) if character.isascii() else "[!->@-~]" for character in text)


def check(program, documents, path, writes):
    """Returns complaints about what is shown in the file at path."""
    name, *variants = path.name.removesuffix(".txt").split(".")
    options, width = options_of(variants)
    source = documents / (name + ".json")
    found = table(program, source, *options)
    if writes:
        path.write_text(found)
    complaints = list(difflib.unified_diff(path.read_text().splitlines(), found.splitlines(), "expected", "found", lineterm=""))
    if re.sub("\033\\[[0-9]*m", "", table(program, source, *options, "--color")) != found:
        complaints.append("colours change more than colours")
    if any(line != line.rstrip() for line in found.splitlines()):
        complaints.append("a line ends in a space")
    if width and any(len(line) > width for line in found.splitlines()):
        complaints.append(f"a line is longer than {width}")
    if width and not re.fullmatch(in_ascii(found), table(program, source, *options, "--ascii")):
        complaints.append("in ASCII it has other characters than one for each beyond ASCII")
    return complaints


def main(program, documents, writes=None):
    paths = sorted(here.glob("*.txt"))
    complaints = [f"{path.name}: {line}" for path in paths for line in check(program, pathlib.Path(documents), path, writes)]
    names = {path.stem for path in here.glob("*.json")} - {"ordinary"}
    complaints += [f"{name}.json has no text" for name in names if not (here / f"{name}.txt").exists()]
    print("\n".join(complaints))
    print(f"{len(paths)} texts")
    return 1 if complaints or not paths else 0


sys.exit(main(*sys.argv[1:]))

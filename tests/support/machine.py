# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine of tests/machines laid out as files, for a daemon that is told to switch that one (tests/machines/README.md)."""

import pathlib
import re

MACHINES = pathlib.Path(__file__).resolve().parent.parent / "machines"
ESCAPES = {"n": "\n", "t": "\t"}


def _expand(text, number):
    return re.sub(r"\{([+-]\d+)?\}", lambda match: str(number + int(match[1] or 0)), text)


def _files(line):
    path, value = line.rstrip("\n").split("\t", 1)
    value = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), value)
    match = re.search(r"\{(\d+)-(\d+)\}", path)
    if not match:
        return [(path, value)]
    numbers = range(int(match[1]), int(match[2]) + 1)
    return [(path[:match.start()] + str(number) + path[match.end():], _expand(value, number)) for number in numbers]


class Machine:
    def __init__(self, directory, name):
        self.directory = directory
        for line in (MACHINES / name).read_text().splitlines():
            if line and not line.startswith("#"):
                for path, value in _files(line):
                    self.write(path, value)

    def write(self, path, value):
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(value + "\n")

    def read(self, path):
        return (self.directory / path).read_text().split("\n")[0]

    def everything(self):
        """What each file says, as its first line: what is written to sysfs replaces all of a file, here only its
        beginning. Without devices, whose requests end with their descriptors."""
        return {str(path.relative_to(self.directory)): path.read_bytes().split(b"\n")[0]
                for path in self.directory.rglob("*") if path.is_file() and path.parent.name != "dev"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""However it was built, benchd-runner links libc only, exports nothing, and claims no shadow stack, since it switches stacks."""

import re
import subprocess
import sys

runner = sys.argv[1]


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options, runner], stdout=subprocess.PIPE, check=True, text=True).stdout


needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("--dynamic")))
symbols = re.findall(r"^\s*\d+: \w+\s+\d+ \w+\s+(\w+)\s+\w+\s+(\w+) (\S+)", readelf("--dyn-syms"), re.M)
exported = [name for binding, section, name in symbols if section != "UND"]

assert "libc.so.6" in needed and needed <= {"libc.so.6", "ld-linux-x86-64.so.2"}, needed
assert len(symbols) > 30, symbols
assert not exported, exported
assert "SHSTK" not in readelf("--notes")  # which -fcf-protection claims of each C file

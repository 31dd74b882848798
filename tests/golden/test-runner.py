# SPDX-License-Identifier: GPL-3.0-or-later
"""However it was built, benchd-runner links libc only, exports nothing, claims no shadow stack, since it switches stacks, and makes the
calls within calls that fill the processor's stack of return addresses."""

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

code = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", runner], stdout=subprocess.PIPE, check=True, text=True).stdout
callers = [function[0] for function in re.findall(r"^\w+ <(\S+)>:\n((?:.+\n)*)", code, re.M)
           if re.search(r"(call|jmp)\s+\w+ <returns_(fill|descend)>", function[1])]
assert "returns_descend" in callers, callers  # it is no loop
assert set(callers) - {"returns_descend", "returns_fill"}, callers

# SPDX-License-Identifier: GPL-3.0-or-later
"""libbenchd exports exactly what its version script and its header name."""

import pathlib
import re
import subprocess
import sys

library, script, header = sys.argv[1:]

listing = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True).stdout
exported = {line.split()[2] for line in listing.splitlines() if line.split()[1] != "A"}
version = re.search(r"^(\w+) \{", pathlib.Path(script).read_text(), re.M).group(1)
scripted = {name + "@@" + version for name in re.findall(r"^\s+(benchd_\w+);", pathlib.Path(script).read_text(), re.M)}
declared = {name + "@@" + version for name in re.findall(r"\b(benchd_\w+)\(", re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S))}

assert len(exported) > 30, exported
assert exported == scripted, exported ^ scripted
assert exported == declared, exported ^ declared

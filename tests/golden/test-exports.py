# SPDX-License-Identifier: GPL-3.0-or-later
"""libbenchd exports exactly what its header names, in its version."""

import pathlib
import re
import subprocess
import sys

library, header = sys.argv[1:]

listing = subprocess.run(["nm", "-D", "--defined-only", library], stdout=subprocess.PIPE, check=True, text=True).stdout
exported = {line.split()[2] for line in listing.splitlines() if line.split()[1] != "A"}
declared = {name + "@@LIBBENCHD_0" for name in re.findall(r"\b(benchd_\w+)\(", re.sub(r"/\*.*?\*/", "", pathlib.Path(header).read_text(), flags=re.S))}

assert len(exported) > 30, exported
assert exported == declared, exported ^ declared

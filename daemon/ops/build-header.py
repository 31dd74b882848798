# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the header that names this build: its version, and a hash of all that the daemon's programs tell each other.

A record's layout is that of the headers of daemon/ops, so two programs understand each other if these are the same.
"""

import hashlib
import pathlib
import sys

HEX_DIGITS = 12

out, depfile, version, directory = sys.argv[1:]
headers = sorted(pathlib.Path(directory).glob("*.h"))
digest = hashlib.sha256()
for header in headers:
    digest.update(header.name.encode() + b"\0" + header.read_bytes())
pathlib.Path(out).write_text(f'#define BUILD_TEXT "{version} ({digest.hexdigest()[:HEX_DIGITS]})"\n')
pathlib.Path(depfile).write_text(f"{out}: {' '.join(map(str, headers))}\n")

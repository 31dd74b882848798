#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes files as a header of C: the bytes of each as an array, and the hash by which a page's policy allows it.

embed.py HEADER FILE...
"""

import base64
import hashlib
import pathlib
import re
import sys


def c_of(path):
    name = re.sub(r"\W", "_", path.name)
    content = path.read_bytes()
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    rows = [", ".join(map(str, content[i:i + 24])) for i in range(0, len(content), 24)]
    return (f'#define ASSET_{name.upper()}_HASH "sha256-{digest}"\n'
            f"static const unsigned char asset_{name}[] = {{\n" + ",\n".join(rows) + "\n};\n")


def main(header, *files):
    pathlib.Path(header).write_text("#pragma once\n\n" + "\n".join(c_of(pathlib.Path(file)) for file in files))


main(*sys.argv[1:])

# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules compiled for a test, once a session."""

import pathlib
import subprocess


class Modules:
    def __init__(self, source, directory):
        self.source = source
        self.directory = directory
        self.built = {}
        directory.chmod(0o755)

    def __call__(self, source, *flags, compiler=None, name=None):
        """Compiles C text, or the file at a path, into a module; returns its path."""
        key = (str(source), flags, compiler, name)
        if key not in self.built:
            self.built[key] = self._compile(source, flags, compiler, name)
        return self.built[key]

    def _compile(self, source, flags, compiler, name):
        if not isinstance(source, pathlib.Path):
            path = self.directory / f"{name or 'module'}{len(self.built)}.c"
            path.write_text("#include <benchd/bench.h>\n" + source)
        else:
            path = source
        output = self.directory / f"{name or path.stem}-{len(self.built)}.so"
        plus = path.suffix == ".cc"
        subprocess.run(
            [compiler or ("g++" if plus else "gcc"), "-std=c++17" if plus else "-std=gnu17", "-O2", "-shared", "-fPIC",
             f"-I{self.source / 'include'}", str(path), "-o", str(output), *flags],
            check=True)
        return output

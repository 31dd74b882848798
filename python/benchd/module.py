# SPDX-License-Identifier: MIT
"""Modules on their way to the daemon: compiled where they are sources, then copied into sealed memory files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Union

from . import own_tree
from .errors import BenchdError, CompileError

FilePath = Union[str, "os.PathLike[str]"]
Files = Union[Sequence[FilePath], Mapping[str, FilePath]]  # by their own names, or under others

SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
C, CXX = ("CC", "cc", "CFLAGS"), ("CXX", "c++", "CXXFLAGS")
LANGUAGES = {".c": C, ".cc": CXX, ".cpp": CXX, ".cxx": CXX, ".c++": CXX, ".C": CXX}
BUILD_TREE = pathlib.Path(__file__).resolve().parents[2]  # if this package is used in one


def program(name: str, folder: str = "daemon/launch") -> str | None:
    """The path of one of benchd's programs: in the @folder of the build tree that this package is in, or else on PATH."""
    built = own_tree.find(BUILD_TREE, f"{folder}/{name}", os.X_OK)
    return str(built) if built else shutil.which(name)


def _include() -> list[str]:
    """Where benchd/bench.h is, unless the compiler looks there anyway."""
    launch = program("benchd-launch")
    roots = [BUILD_TREE] + ([pathlib.Path(launch).resolve().parents[1]] if launch else [])
    found = next(filter(None, (own_tree.find(root, "include/benchd/bench.h", os.R_OK) for root in roots)), None)
    include = found.parents[1] if found else None
    return [] if include is None or str(include) in ("/usr/include", "/usr/local/include") else [f"-I{include}"]


def compile_module(source: FilePath, output: FilePath, *flags: str) -> pathlib.Path:
    """Compiles a C or C++ source into a module as benchctl does: $CC -O2 -g -shared -fPIC $CFLAGS. Returns the path of @output."""
    source, output = pathlib.Path(source), pathlib.Path(output)
    variable, compiler, more = LANGUAGES.get(source.suffix, C)
    command = [*shlex.split(os.environ.get(variable) or compiler), "-O2", "-g", "-shared", "-fPIC", *_include(),
               *shlex.split(os.environ.get(more, "")), *flags, str(source), *shlex.split(os.environ.get("LDLIBS", "-lm")), "-o", str(output)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError as error:
        raise CompileError(f"Cannot run the compiler {command[0]}: {error.strerror}. "
                           f"Install one (Debian: apt install gcc g++), or name yours in ${variable}.") from None
    if done.returncode != 0:
        raise CompileError(f"{source} does not compile: {shlex.join(command)}", done.stdout)
    return output


def _read(path: FilePath) -> bytes:
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise BenchdError(f"Cannot read {os.fspath(path)}: {error.strerror}.") from None


def _module_bytes(path: FilePath, flags: Sequence[str]) -> bytes:
    data = _read(path)
    if pathlib.Path(path).suffix not in LANGUAGES or data.startswith(b"\x7fELF"):
        return data
    with tempfile.TemporaryDirectory(prefix="benchd-module-") as directory:
        return compile_module(path, pathlib.Path(directory, "module.so"), *flags).read_bytes()


def _sealed(data: bytes) -> int:
    fd = os.memfd_create("benchd", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with os.fdopen(os.dup(fd), "wb") as file:
        file.write(data)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
    return fd


def named(files: Files) -> dict[str, FilePath]:
    """Files under the names that the module knows them by."""
    return dict(files) if isinstance(files, Mapping) else {os.path.basename(os.fspath(path)): path for path in files}


@contextlib.contextmanager
def sent(module: FilePath | None, libraries: Sequence[Files], inputs: Files = (), flags: Sequence[str] = ()) -> Iterator[list[int]]:
    """Descriptors of a module (None: of an earlier job, no descriptor), its libraries in their groups and its inputs, closed at the end."""
    fds: list[int] = []
    try:
        if module is not None:
            fds.append(_sealed(_module_bytes(module, flags)))
        for path in [path for files in [*libraries, inputs] for path in named(files).values()]:
            fds.append(_sealed(_read(path)))
        yield fds
    finally:
        for fd in fds:
            os.close(fd)

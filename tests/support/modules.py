# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests compile, once a session for all of its processes; and the sources that many of them share."""

import hashlib
import os
import pathlib
import subprocess

EMPTY = "BENCH(empty) { bench_loop(b) bench_clobber(); }"
SPINS = "BENCH(spins) { bench_loop(b) for (;;) bench_clobber(); }"
TWO = """
BENCH(first) { bench_loop(b) bench_clobber(); }
BENCH(second) { bench_loop(b) bench_clobber(); }
"""
# Tells which of several it is.
CHAIN = """
BENCH(chain, .area = "a") {{ uint64_t x = 3; bench_counter(b, "n", {n}); bench_loop(b) for (int i = 0; i < {n}; i++) __asm__ volatile("imul %0, %0" : "+r"(x)); bench_use(x); }}
BENCH(only_{n}, .area = "a") {{ bench_loop(b) bench_clobber(); }}
"""


def padded(modules, megabyte_parts, name):
    """A module of about this many parts of a mebibyte, unlike any other."""
    return modules(EMPTY, name=name).read_bytes() + name.encode() + bytes(megabyte_parts * 1024 // 16 * 1024)


def of_session(tmp_path_factory, name):
    """A directory of all the processes that run the tests of a session, or of the several sessions of one that sets BENCHD_TEST_COMPILED."""
    if "BENCHD_TEST_COMPILED" in os.environ:
        return pathlib.Path(os.environ["BENCHD_TEST_COMPILED"]) / name
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name


class Compiled:
    """Files by what they are made of: whoever needs one first makes it, beside its place, and then puts it there at once."""

    def __init__(self, directory):
        self.directory = directory
        self.directory.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o755)

    def made(self, name, parts, make):
        """The file @name in the directory of these parts; make(path, directory) writes it."""
        place = self.directory / hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
        if not (place / name).exists():
            place.mkdir(exist_ok=True)
            beside = place / f".{os.getpid()}-{name}"
            make(beside, place)
            beside.rename(place / name)
        return place / name


class Modules:
    def __init__(self, source, directory):
        self.include = source / "include"
        self.compiled = Compiled(directory)

    def __call__(self, source, *flags, compiler=None, name=None):
        """Compiles C text, or the file at a path, into a module; returns its path."""
        is_file = isinstance(source, pathlib.Path)
        text = source.read_text() if is_file else "#include <benchd/bench.h>\n" + source
        stem = name or (source.stem if is_file else "module")
        plus = is_file and source.suffix == ".cc"
        command = [compiler or ("g++" if plus else "gcc"), "-std=c++17" if plus else "-std=gnu17", "-O2", "-shared", "-fPIC", f"-I{self.include}"]

        def compile(path, place):
            if not is_file:
                (place / f".{os.getpid()}.c").write_text(text)
                (place / f".{os.getpid()}.c").rename(place / f"{stem}.c")
            subprocess.run([*command, str(source if is_file else place / f"{stem}.c"), "-o", str(path), *map(str, flags)], check=True)

        return self.compiled.made(f"{stem}.so", [text, str(source) if is_file else None, command, list(map(str, flags))], compile)

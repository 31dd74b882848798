# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles, links and reads modules with every compiler that the header is for."""

import pathlib
import subprocess

from support.modules import Compiled

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / 'include'
MODULES = HERE / 'modules'
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Werror']

# A compiler and how it is told the language; each source file is compiled as all of them.
LANGUAGES = {
    'gcc-c11': ['gcc', '-std=c11'],
    'gcc-gnu17': ['gcc', '-std=gnu17'],
    'clang-c11': ['clang', '-std=c11'],
    'clang-gnu17': ['clang', '-std=gnu17'],
    'g++-c++17': ['g++', '-x', 'c++', '-std=c++17'],
    'g++-c++20': ['g++', '-x', 'c++', '-std=c++20'],
    'clang++-c++17': ['clang++', '-x', 'c++', '-std=c++17'],
    'clang++-c++20': ['clang++', '-x', 'c++', '-std=c++20'],
}


def run(command, **options):
    """The compiler's words end the test if there are any."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0 and not done.stderr, done.stderr


class Toolbox:
    def __init__(self, shared, directory):
        self.compiled = Compiled(shared)
        self.directory = directory
        self.reader = self.compiled.made('reader', [], lambda path, _: run(['gcc', *WARNINGS, f'-I{INCLUDE}', HERE / 'reader.c', '-o', path]))

    def compile(self, language, name, flags=()):
        """Compiles modules/@name to an object."""
        return self.compiled.made(f'{name}.o', [language, *flags], lambda path, _: run(
            self.command(language, MODULES / name, ['-c', '-o', path, *flags]), cwd=HERE))

    def command(self, language, source, flags):
        return [*LANGUAGES[language], *WARNINGS, '-fPIC', '-fvisibility=hidden', f'-I{INCLUDE}', *flags, source]

    def try_compile(self, language, source, flags):
        return subprocess.run(self.command(language, source, flags), capture_output=True, text=True, cwd=HERE)

    def link(self, language, objects, flags=()):
        return self.compiled.made('module.so', [language, *map(str, objects), *flags], lambda path, _: run(
            [LANGUAGES[language][0], '-shared', '-o', path, *flags, *objects]))

    def read(self, module):
        """What the module registers, a line a thing."""
        return subprocess.run([self.reader, module], check=True, capture_output=True, text=True).stdout.splitlines()

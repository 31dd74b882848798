# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiles, links and reads modules with every compiler that the header is for."""

import pathlib
import subprocess

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


class Toolbox:
    def __init__(self, directory):
        self.directory = directory
        self.reader = directory / 'reader'
        subprocess.run(['gcc', *WARNINGS, f'-I{INCLUDE}', HERE / 'reader.c', '-o', self.reader], check=True)

    def compile(self, language, name, flags=()):
        """Compiles modules/@name to an object. The compiler's words end the test if there are any."""
        target = self.directory / ('-'.join([language, name, *flags]).replace('/', '_') + '.o')
        done = self.try_compile(language, MODULES / name, ['-c', '-o', target, *flags])
        assert done.returncode == 0 and not done.stderr, done.stderr
        return target

    def try_compile(self, language, source, flags):
        return subprocess.run([*LANGUAGES[language], *WARNINGS, '-fPIC', '-fvisibility=hidden', f'-I{INCLUDE}', *flags,
                               source], capture_output=True, text=True, cwd=HERE)

    def link(self, language, objects, flags=()):
        target = objects[0].with_suffix('.' + '-'.join(flags).replace(',', '_') + '.so')
        done = subprocess.run([LANGUAGES[language][0], '-shared', '-o', target, *flags, *objects], capture_output=True,
                              text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
        return target

    def read(self, module):
        """What the module registers, a line a thing."""
        return subprocess.run([self.reader, module], check=True, capture_output=True, text=True).stdout.splitlines()

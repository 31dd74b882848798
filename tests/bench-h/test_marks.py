# SPDX-License-Identifier: GPL-3.0-or-later
"""Sestoft's attempts differ in what is around the function that they time, and in nothing else: each compiler makes one loop of it."""

import re

import pytest
from machine_code import function, iterations
from toolbox import HERE

EXAMPLES = HERE.parent.parent / 'examples'


def loop_of(module, name):
    """The instructions of the timed loop that multiplies; equal bodies may have been made one."""
    instructions = function(module, name)
    folded = re.search(r'<bench_body_(\w+)>', instructions[0].operands) if instructions[0].mnemonic == 'jmp' else None
    if folded:
        return loop_of(module, folded[1])
    loop, = iterations(instructions)
    return [(i.mnemonic, re.sub(r'-?0x[0-9a-f]+\(%rip\)', '(%rip)', '' if i.is_branch else i.operands)) for i in loop]


@pytest.mark.parametrize('language', ['gcc-gnu17', 'clang-gnu17'])
def test_mark0_mark2_and_mark3_have_the_loop_of_mark4_to_mark6(toolbox, language):
    modules = {}
    for source in ('pitfalls/marks.c', 'sestoft/functions.c'):
        target = toolbox.directory / f'{language}-{source.replace("/", "-")}.so'
        done = toolbox.try_compile(language, EXAMPLES / source, ['-O2', '-shared', '-o', target, '-lm'])
        assert done.returncode == 0, done.stderr
        modules[source] = target
    wanted = loop_of(modules['sestoft/functions.c'], 'multiply')
    assert sum(mnemonic == 'mulsd' for mnemonic, _ in wanted) == 20
    for name in ('mark0', 'mark2', 'mark3', 'all_processes'):
        assert loop_of(modules['pitfalls/marks.c'], name) == wanted, name

# SPDX-License-Identifier: GPL-3.0-or-later
"""What an iteration of bench_loop() costs: no call, at most two fused branches, no memory operand."""

import pytest

import machine_code
from toolbox import LANGUAGES

LEVELS = ['-O2', '-O3']
COMPILERS = [name for name in LANGUAGES if name.endswith(('gnu17', '++17'))]

pytestmark = [pytest.mark.parametrize('level', LEVELS), pytest.mark.parametrize('language', COMPILERS)]


@pytest.fixture
def module(toolbox, language, level):
    return toolbox.link(language, [toolbox.compile(language, 'loops.c', [level])])


def loop_of(module, name):
    instructions = machine_code.function(module, name)
    loops = machine_code.iterations(instructions)
    assert len(loops) == 1, f'{name}: {len(loops)} loops without a call in {instructions}'
    return instructions, loops[0]


@pytest.mark.parametrize('name', ['empty', 'multiply', 'use_scalars', 'opaque_pointer', 'repeated'])
def test_an_iteration_is_bare(module, name):
    instructions, loop = loop_of(module, name)
    assert len([i for i in loop if i.is_branch]) <= 2, loop
    assert not machine_code.unfused(instructions, loop), loop
    if name != 'repeated':  # the macro notes its ten in memory
        assert not [i for i in loop if i.touches_memory], loop


def test_ten_times_is_ten_times(module):
    _, loop = loop_of(module, 'repeated')
    assert len([i for i in loop if i.mnemonic.startswith('imul')]) == 10, loop
    assert len([i for i in loop if i.touches_memory]) <= 1, loop


def test_a_multiply_stays_in_its_loop(module):
    _, loop = loop_of(module, 'multiply')
    assert len([i for i in loop if i.mnemonic.startswith('imul')]) == 1, loop


def test_a_pause_reads_the_counter_twice_and_calls_nothing(module):
    _, loop = loop_of(module, 'paused')
    assert len([i for i in loop if i.mnemonic == 'rdtsc']) == 2, loop
    saved = [i for i in loop if i.mnemonic.startswith('movs') and 'rsp' in i.operands]
    assert not saved, f'what the body keeps in registers stays there: {saved}'


def test_an_opaque_value_keeps_the_root_in_the_loop(module):
    _, loop = loop_of(module, 'root')
    assert [i for i in loop if i.mnemonic == 'sqrtsd'], loop
    assert [i for i in loop if i.mnemonic == 'mulsd'], loop


# What follows is there so that the tests above can fail: bodies that break each rule.


def test_without_it_the_root_leaves(module):
    _, loop = loop_of(module, 'bad_root')
    assert not [i for i in loop if i.mnemonic == 'sqrtsd'], loop


def test_a_call_would_be_seen(module):
    assert machine_code.iterations(machine_code.function(module, 'bad_call')) == []


def test_a_memory_operand_would_be_seen(module):
    _, loop = loop_of(module, 'bad_memory')
    assert [i for i in loop if i.touches_memory], loop


def test_more_branches_would_be_seen(module):
    _, loop = loop_of(module, 'bad_branches')
    assert len([i for i in loop if i.is_branch]) > 2, loop

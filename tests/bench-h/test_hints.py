# SPDX-License-Identifier: GPL-3.0-or-later
"""bench_use() and bench_opaque() cost nothing: no value leaves its register, nothing is copied, and none is changed."""

import functools
import re
import subprocess

import pytest

import machine_code
from toolbox import LANGUAGES, MODULES

COMPILERS = [name for name in LANGUAGES if name.endswith(('gnu17', '++17'))]
STANDARDS = [name for name in LANGUAGES if name.endswith(('c11', '++17'))]
WIDTHS = {'': [], '-mavx2': ['vector_of_32'], '-march=x86-64-v4': ['vector_of_32', 'vector_of_64']}
VALUES = re.findall(r'^HINTS\((\w+)', (MODULES / 'hints.c').read_text(), re.M)
BETWEEN_KINDS = re.compile(r'v?(mov[dq]|pinsr[bwdq]|pextr[bwdq])$')


def is_between_kinds(instruction):
    """True of a move between a general and a vector register."""
    return bool(BETWEEN_KINDS.match(instruction.mnemonic)) and 'mm' in instruction.operands and \
        bool(re.search(r'%[re][a-z0-9]+', instruction.operands))


def costs(instruction):
    return is_between_kinds(instruction) or instruction.touches_memory and '%st' not in instruction.operands


@pytest.fixture
def module(toolbox, language, level, width):
    return compiled(toolbox, language, *[level, width] if width else [level])


@functools.lru_cache(maxsize=None)
def compiled(toolbox, language, *flags):
    return toolbox.link(language, [toolbox.compile(language, 'hints.c', flags)])


@pytest.mark.parametrize('width', WIDTHS)
@pytest.mark.parametrize('level', ['-O2', '-O3'])
@pytest.mark.parametrize('language', COMPILERS)
def test_a_value_stays_in_its_registers(module, width):
    for name in VALUES:
        if name.startswith('vector_of_') and name[10:].isdigit() and name not in WIDTHS[width]:
            continue
        for hint in 'chain', 'use':
            loop, = machine_code.iterations(machine_code.function(module, f'{hint}_{name}'))
            assert not [i for i in loop if costs(i)], (hint, name, loop)


@pytest.mark.parametrize('width', [''])
@pytest.mark.parametrize('level', ['-O1', '-O2', '-O3'])
@pytest.mark.parametrize('language', COMPILERS)
def test_a_large_struct_is_used_where_it_lies(module):
    loop, = machine_code.iterations(machine_code.function(module, 'use_large'))
    assert not [i for i in loop if i.touches_memory], loop
    returned = machine_code.timed_loop(machine_code.function(module, 'use_returned'))
    assert [i for i in returned if 'make_large' in i.operands]
    assert not [i for i in returned if 'memcpy' in i.operands or i.mnemonic.startswith('rep')], returned


@pytest.mark.parametrize('width', [''])
@pytest.mark.parametrize('level', ['-O1', '-O2', '-O3'])
@pytest.mark.parametrize('language', COMPILERS)
@pytest.mark.parametrize('name', ['store_to_global', 'store_to_known'])
def test_a_store_that_others_can_see_is_kept(module, name):
    stores = [i for i in machine_code.timed_loop(machine_code.function(module, name))
              if i.mnemonic.startswith('mov') and i.operands.endswith(')')]
    assert [i for i in stores if '%rsp' not in i.operands or name == 'store_to_known'], name


@pytest.mark.parametrize('flags', ['-O0', '-O1', '-O2', '-O3 -mavx2', '-O3 -march=x86-64-v4', '-O2 -fsanitize=undefined'])
@pytest.mark.parametrize('language', STANDARDS)
def test_no_value_is_changed_or_evaluated_twice(toolbox, language, flags):
    program = toolbox.directory / f'values-{language}{flags.replace(" ", "")}'
    done = toolbox.try_compile(language, MODULES / 'values.c', [*flags.split(), '-o', program])
    assert done.returncode == 0 and not done.stderr, done.stderr
    if '-m' not in flags or set(flags.split()[-1:]) <= runnable():
        done = subprocess.run([program], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stdout + done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize('flags', ['-O0 -mgeneral-regs-only', '-O2 -mno-sse', '-O2 -flto', '-O3 -ffast-math', '-O2 -fno-exceptions'])
@pytest.mark.parametrize('language', STANDARDS)
def test_integers_are_hinted_whatever_the_flags(toolbox, language, flags):
    source = toolbox.directory / 'integers.c'
    source.write_text('#include <benchd/bench.h>\nstruct pair { const char *a; int n; };\n'
                      'BENCH(x) { struct pair p = { "", 1 }; int i = 3; bench_loop(b) { bench_opaque(i); bench_use(i); bench_opaque(p); bench_use(p); } }\n')
    done = toolbox.try_compile(language, source, [*flags.split(), '-c', '-o', toolbox.directory / 'integers.o'])
    assert done.returncode == 0 and not done.stderr, done.stderr


def runnable():
    """The sets of instructions that this processor has."""
    flags = re.search(r'^flags\s*:(.*)$', open('/proc/cpuinfo').read(), re.M)[1].split()
    return {flag for flag, needed in [('-mavx2', 'avx2'), ('-march=x86-64-v4', 'avx512vl')] if needed in flags}


# What follows is there so that the tests above can fail.


@pytest.mark.parametrize('compiler', ['gcc', 'clang'])
def test_a_hint_through_memory_would_be_seen(toolbox, compiler):
    source, target = toolbox.directory / 'memory.c', toolbox.directory / f'memory-{compiler}.so'
    source.write_text('#include <benchd/bench.h>\nBENCH(chain) { double x = 2; bench_loop(b) { x *= 1.5; __asm__ volatile("" : "+m"(x)); } bench_use(x); }\n')
    assert toolbox.try_compile(f'{compiler}-gnu17', source, ['-O2', '-shared', '-o', target]).returncode == 0
    loop, = machine_code.iterations(machine_code.function(target, 'chain'))
    assert [i for i in loop if costs(i)], loop

# SPDX-License-Identifier: GPL-3.0-or-later
"""Every name that an author may write is in bench.h, with words to it."""

import re

import pytest

from toolbox import INCLUDE, MODULES

HEADER = (INCLUDE / 'benchd' / 'bench.h').read_text()

NAMES = '''
BENCH BENCH_AREA bench_loop bench_use bench_opaque bench_clobber bench_pause bench_resume bench_inputs bench_input
bench_arg bench_index bench_batch bench_ops bench_items bench_bytes bench_counter bench_thread bench_threads bench_skip
BENCH_HERE bench_fail bench_label bench_set_context bench_context bench_manual_ns
BENCH_REPEAT10 bench_timer_start bench_timer_start_by bench_timer_pause bench_timer_resume bench_timer_check
bench_timer_ns bench_timer_seconds BENCH_NO_WARMUP BENCH_ARGS
BENCH_REALS BENCH_TEXTS BENCH_RANGE BENCH_LINEAR bench_arg_real bench_arg_text BENCH_PRODUCT BENCH_PRODUCT3 BENCH_PRODUCT4
BENCH_EMBED_SOURCE
'''.split()

OPTIONS = '''
title about area args threads ops hidden setup teardown reset iterations samples processes min_time_ns warmup_ms prime
method reference cpus
'''.split()


def definition(name):
    """The first line that defines @name, as an index into the header's lines."""
    wanted = re.compile(rf'^(?:#\s*define {name}\b|static inline [^;=]*\b{name}\()')
    return next((i for i, line in enumerate(HEADER.splitlines()) if wanted.match(line)), None)


def documented(name):
    """Whether a comment stands right above, over @name and the like that follow without an empty line."""
    lines = HEADER.splitlines()
    above = definition(name)
    while above > 0 and lines[above].strip():
        above -= 1
        if lines[above].rstrip().endswith('*/'):
            return True
    return False


@pytest.mark.parametrize('name', NAMES)
def test_a_name_is_declared_and_documented(name):
    assert definition(name) is not None, f'{name} is not defined'
    assert documented(name), f'{name} has no comment'


@pytest.mark.parametrize('name', OPTIONS)
def test_an_option_is_declared_and_documented(name):
    fields = re.search(r'struct bench_options \{\n(.*?)\n\};', HEADER, re.S)[1]
    assert re.search(rf'\b\*?{name};\s+/\* .+ \*/', fields), f'.{name} is not an option with words to it'


def test_all_of_them_are_compiled():
    source = (MODULES / 'full.c').read_text()
    unused = [name for name in NAMES if name not in ('BENCH_PRODUCT3',) and not re.search(rf'\b{name}\b', source)]
    unused += [name for name in OPTIONS if not re.search(rf'\.{name} =', source)]
    assert unused == []


def test_what_is_missing_would_be_seen():
    assert definition('bench_nothing') is None
    assert not documented('BENCH_COUNT_')

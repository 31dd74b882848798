# SPDX-License-Identifier: GPL-3.0-or-later
"""BENCH_HERE in any program: a line for each block, by every compiler and optimisation, without a library; counts are the block's own."""

import re
import subprocess

import pytest
from toolbox import INCLUDE, LANGUAGES, WARNINGS

PROGRAM = r"""
#include <benchd/bench.h>
#include <stdio.h>
#include <string.h>

static unsigned long long n_counted, n_slow;

static void count(void) { n_counted++; }

/* Longer than a batch is to be: each is one iteration. */
static void slow(void) {
        bench_timer timer;

        bench_timer_start(&timer);
        while (bench_timer_seconds(&timer) < 0.002)
                ;
        n_slow++;
}

static int leave(void) {
        BENCH_HERE(returned) {
                return 1;
        }
        return 0;
}

int main(void) {
        char b[16] = "text", *text = b; /* the name of a body's parameter is the program's own here */
        size_t length = 0;

        puts("before");
        BENCH_HERE(counted) { count(); }
        for (int i = 0; i < 2; i++)
                BENCH_HERE(measured) {
                        bench_opaque(text);
                        length = strlen(text);
                        bench_use(length);
                }
        BENCH_HERE(repeated) { BENCH_REPEAT10(count()); }
        BENCH_HERE(slow_one) slow();
        BENCH_HERE(broken) { break; }
        printf("after %d %zu %llu %llu\n", leave(), length, n_counted, n_slow);
        return 0;
}
"""
LINE = r"(\w+) +([\d.e+]+) (ps|ns|\u00b5s|ms|s) an iteration, (\d+) iterations? in (\d+) batch(?:es)?"
NS = {"ps": 1e-3, "ns": 1, "\u00b5s": 1e3, "ms": 1e6, "s": 1e9}


def built(tmp_path, language, optimisation, text=PROGRAM):
    source, program = tmp_path / 'here.c', tmp_path / 'here'
    source.write_text(text)
    done = subprocess.run([*LANGUAGES[language], *WARNINGS, optimisation, f'-I{INCLUDE}', source, '-o', program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return subprocess.run([program], capture_output=True, check=True, timeout=60).stdout.decode().splitlines()


@pytest.mark.parametrize('language, optimisation', [
    *[(language, '-O2') for language in LANGUAGES],
    *[(language, optimisation) for language in ('gcc-c11', 'clang-c11', 'g++-c++17', 'clang++-c++17') for optimisation in ('-O0', '-O1', '-O3')],
])
def test_each_block_has_a_line_where_it_stands(tmp_path, language, optimisation):
    before, head, *lines, after = built(tmp_path, language, optimisation)
    assert before == 'before' and after.startswith('after 1 4 ')
    assert head.startswith('# In this process alone') and "'benchctl run'" in head, 'it says once what it lacks'
    assert ('without optimisation' in head) == (optimisation == '-O0')

    rows = [re.fullmatch(LINE, line) for line in lines[:5]]
    assert [row and row[1] for row in rows] == ['counted', 'measured', 'measured', 'repeated', 'slow_one'], lines
    assert [row[5] for row in rows] == ['20'] * 5
    assert all(float(row[2]) > 0 for row in rows)
    n_counted, n_slow = map(int, after.split()[3:])
    assert int(rows[0][4]) + int(rows[3][4]) < n_counted, 'the block ran as often as told, and before the clock started'
    assert int(rows[4][4]) == 20 < n_slow
    assert float(rows[4][2]) * NS[rows[4][3]] >= 2e6, 'the loop waits for 2 ms by the same clock'
    assert [line.split()[0] for line in lines[5:]] == ['broken', 'returned'] and all('It left the loop' in line for line in lines[5:])


def test_a_clock_that_cannot_be_read_is_said(tmp_path):
    stand_in = 'int no_time(int clock, void *time) __asm__("clock_gettime");\nint no_time(int clock, void *time) { (void)clock; (void)time; return -1; }\n'
    text = f'#include <benchd/bench.h>\n{stand_in}int main(void) {{ BENCH_HERE(x) bench_clobber(); return 0; }}\n'
    assert built(tmp_path, 'gcc-gnu17', '-O2', text)[1:] == [f'{"x":32}  The clock cannot be read.']

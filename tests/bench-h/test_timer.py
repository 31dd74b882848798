# SPDX-License-Identifier: GPL-3.0-or-later
"""The stopwatch in seconds, beside a CLOCK_MONOTONIC_RAW that the program makes up: it stands in for libc's, so each figure is exact."""

import subprocess

import pytest
from toolbox import INCLUDE, LANGUAGES, WARNINGS

PROGRAM = r"""
#define BENCH_NO_MODULE
#include <benchd/bench.h>
#include <stdio.h>

static uint64_t now_ns, n_calls;
static int broken;

/* In place of libc's: each reading takes a microsecond. */
struct made_up { long s, ns; };
#ifdef __cplusplus
extern "C"
#endif
int made_up_time(int clock, struct made_up *t) __asm__("clock_gettime");
int made_up_time(int clock, struct made_up *t) {
        now_ns += 1000;
        n_calls++;
        t->s = (long)(now_ns / 1000000000u);
        t->ns = (long)(now_ns % 1000000000u);
        return broken || clock != 4 ? -1 : 0;
}

static uint64_t four_ticks_a_ns(void) BENCH_NOEXCEPT_ { return 4 * now_ns; }
static uint64_t stands(void) BENCH_NOEXCEPT_ { return 5; }

int main(void) {
        bench_timer timer;
        uint64_t calls;

        bench_timer_start_by(&timer, four_ticks_a_ns);
        now_ns += 1500000000u;
        bench_timer_pause(&timer);
        now_ns += 1000000000u;
        printf("%.9f %.3f\n", bench_timer_seconds(&timer), bench_timer_ns(&timer));
        bench_timer_resume(&timer);
        now_ns += 250000000u;
        printf("%.9f\n", bench_timer_seconds(&timer));

        bench_timer_start(&timer);
        bench_timer_pause(&timer);
        bench_timer_seconds(&timer);
        calls = n_calls;
        printf("%d\n", bench_timer_seconds(&timer) >= 0 && n_calls == calls);

        bench_timer_start_by(&timer, stands);
        printf("%d\n", bench_timer_seconds(&timer) != bench_timer_seconds(&timer));
        broken = 1;
        bench_timer_start_by(&timer, four_ticks_a_ns);
        printf("%d\n", bench_timer_seconds(&timer) != bench_timer_seconds(&timer));
        return 0;
}
"""


@pytest.mark.parametrize('language', LANGUAGES)
def test_ticks_are_told_in_seconds_without_daemon_or_library(tmp_path, language):
    source, program = tmp_path / 'timer.c', tmp_path / 'timer'
    source.write_text(PROGRAM)
    done = subprocess.run([*LANGUAGES[language], *WARNINGS, '-O2', f'-I{INCLUDE}', source, '-o', program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    lines = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout.split('\n')
    assert lines[0] == '1.500000000 1500000000.000', 'the second of the pause is left out'
    assert lines[1] == '1.750000000'
    assert lines[2] == '1', 'the time-stamp counter is set beside the clock once'
    assert lines[3:5] == ['1', '1'], 'NaN'


@pytest.mark.parametrize('language', ['gcc-c11', 'g++-c++17'])
def test_a_program_that_uses_no_seconds_needs_nothing_of_it(tmp_path, language):
    source, target = tmp_path / 'plain.c', tmp_path / 'plain.o'
    source.write_text('#include <benchd/bench.h>\nBENCH(x) { bench_loop(b) ; }\n')
    subprocess.run([*LANGUAGES[language], *WARNINGS, '-O0', '-c', f'-I{INCLUDE}', source, '-o', target], check=True)
    assert 'clock_gettime' not in subprocess.run(['nm', target], capture_output=True, text=True, check=True).stdout

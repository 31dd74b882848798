# SPDX-License-Identifier: GPL-3.0-or-later
"""A mistake in a benchmark gives an error that says what is wrong, in the words of the author's own line."""

import re
import subprocess

import pytest

from toolbox import INCLUDE, MODULES

HEAD = '#include <benchd/bench.h>\n'
TOO_MANY = ', '.join(str(i) for i in range(1, 26))

# What is wrong → the line, and what one of the compiler's errors must say in C and in C++.
MISTAKES = {
    'too many values': (f'BENCH(x, .args = BENCH_ARGS(n, {TOO_MANY})) {{ bench_loop(b); }}',
                        'too many values in BENCH_ARGS', 'too many values in BENCH_ARGS'),
    'too many thread counts': ('BENCH(x, .threads = BENCH_THREADS(1, 2, 3, 4, 5, 6, 7, 8, 9)) { bench_loop(b); }',
                               'too many counts in BENCH_THREADS', 'too many counts in BENCH_THREADS'),
    'an option that is none': ('BENCH(x, .abuot = "typing error") { bench_loop(b); }', 'abuot', 'abuot'),
    'a name twice': ('BENCH(x) { bench_loop(b); }\nBENCH(x) { bench_loop(b); }', 'redefinition of', 'redefinition of'),
    'a text for a number': ('BENCH(x, .ops = "ten") { bench_loop(b); }', 'integer', 'uint64_t'),
    'the use of nothing': ('void f(void); BENCH(x) { bench_loop(b) bench_use(f()); }', 'void', 'void'),
    'a constant made opaque': ('BENCH(x) { bench_loop(b) bench_opaque(3); }', 'lvalue', 'rvalue|lvalue'),
    'an index outside a loop': ('BENCH(x) { bench_use(bench_index(b)); bench_loop(b); }', 'bench_left_', 'bench_left_'),
    'a format that does not fit': ('BENCH(x) { bench_loop(b); bench_fail(b, "%s", 3); }', 'format', 'format'),
}


@pytest.mark.parametrize('language', ['gcc-gnu17', 'clang-gnu17', 'g++-c++17', 'clang++-c++17'])
@pytest.mark.parametrize('mistake', MISTAKES)
def test_a_mistake_is_named(toolbox, tmp_path, language, mistake):
    line, in_c, in_cxx = MISTAKES[mistake]
    source = tmp_path / 'mistake.c'
    source.write_text(HEAD + line + '\n')
    done = toolbox.try_compile(language, source, ['-c', '-o', tmp_path / 'mistake.o'])
    assert done.returncode != 0
    errors = [text for text in done.stderr.splitlines() if ' error: ' in text or ' note: ' in text]
    wanted = (in_cxx if '++' in language else in_c).split('|')
    assert any(word in text for text in errors for word in wanted), done.stderr


@pytest.mark.parametrize('standard', ['c++98', 'c++11', 'gnu++14'])
@pytest.mark.parametrize('compiler', ['g++', 'clang++'])
def test_an_older_cxx_gets_one_error_that_names_the_standard(compiler, standard):
    done = subprocess.run([compiler, '-x', 'c++', f'-std={standard}', f'-I{INCLUDE}', '-c', '-o', '/dev/null', MODULES / 'full.c'],
                          capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if re.search(r': (fatal )?error: ', line)]
    assert done.returncode != 0
    assert 'benchd/bench.h needs C++17' in errors[0]
    assert len(errors) == 2 and 'fatal error: ' in errors[1] and 'C++17' in errors[1], done.stderr


@pytest.mark.parametrize('language', ['gcc-gnu17', 'clang-gnu17', 'g++-c++17', 'clang++-c++17'])
def test_what_is_right_compiles(toolbox, tmp_path, language):
    source = tmp_path / 'right.c'
    source.write_text(HEAD + 'BENCH(x, .args = BENCH_ARGS(n, 1), .threads = BENCH_THREADS(2)) { bench_loop(b); }\n')
    done = toolbox.try_compile(language, source, ['-c', '-o', tmp_path / 'right.o'])
    assert done.returncode == 0, done.stderr

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
    'too many real values': (f'BENCH(x, .args = BENCH_REALS(n, {TOO_MANY})) {{ bench_loop(b); }}',
                             'too many values in BENCH_REALS', 'too many values in BENCH_REALS'),
    'too many texts': (f'BENCH(x, .args = BENCH_TEXTS(n, "{TOO_MANY.replace(", ", chr(34) + ", " + chr(34))}")) {{ bench_loop(b); }}',
                       'too many values in BENCH_TEXTS', 'too many values in BENCH_TEXTS'),
    'a real among the whole': ('BENCH(x, .args = BENCH_ARGS(n, 1, 0.5)) { bench_loop(b); }',
                               'BENCH_ARGS takes whole numbers: use BENCH_REALS', 'BENCH_ARGS takes whole numbers: use BENCH_REALS'),
    'the last of all is real': (f'BENCH(x, .args = BENCH_ARGS(n, {TOO_MANY.rsplit(", ", 2)[0]}, 1e3)) {{ bench_loop(b); }}',
                                'BENCH_ARGS takes whole numbers', 'BENCH_ARGS takes whole numbers'),
    'a real within a product': ('BENCH(x, .args = BENCH_PRODUCT(BENCH_ARGS(n, 1), BENCH_ARGS(m, 1.5f))) { bench_loop(b); }',
                                'BENCH_ARGS takes whole numbers', 'BENCH_ARGS takes whole numbers'),
    'a text among the whole': ('BENCH(x, .args = BENCH_ARGS(n, "a")) { bench_loop(b); }',
                               'use BENCH_REALS for real ones, BENCH_TEXTS for texts', 'BENCH_TEXTS for texts'),
    'a number among texts': ('BENCH(x, .args = BENCH_TEXTS(n, "a", 0)) { bench_loop(b); }', 'texts in quotes', 'texts in quotes'),
    'a range of reals': ('BENCH(x, .args = BENCH_RANGE(n, 1, 2.5, 2)) { bench_loop(b); }',
                         'BENCH_RANGE takes whole numbers', 'BENCH_RANGE and BENCH_LINEAR take whole numbers'),
    'a real step': ('BENCH(x, .args = BENCH_LINEAR(n, 1, 2, 0.5)) { bench_loop(b); }',
                    'BENCH_LINEAR takes whole numbers', 'BENCH_RANGE and BENCH_LINEAR take whole numbers'),
    'one thread and a half': ('BENCH(x, .threads = BENCH_THREADS(1, 1.5)) { bench_loop(b); }',
                              'BENCH_THREADS takes whole numbers', 'BENCH_THREADS takes whole numbers'),
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

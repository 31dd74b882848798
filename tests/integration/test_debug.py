# SPDX-License-Identifier: GPL-3.0-or-later
"""debug: the optimised module under gdb, stopped where the loop begins, in C and C++, with debug information and without."""

import functools
import re
import shutil
import subprocess

import pytest

from support.benchctl import MACHINE, USAGE, Benchctl

TOUCHES = "verb-debug client/ctl/ask/here.*"

MINE = """
#include <benchd/bench.h>
#include <string.h>
static char filled_text[100];
BENCH(other) { bench_loop(b) bench_clobber(); }
BENCH(length, .args = BENCH_ARGS(n, 1, 2)) {
        const char *text = filled_text;
        memset(filled_text, 'x', 99);
        bench_loop(b) { /* here */
                bench_opaque(text);
                bench_use(strlen(text));
        }
}
"""

gdb = pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")


@pytest.fixture
def typed(build, tmp_path):
    for name in "mine.c", "mine.cc":
        (tmp_path / name).write_text(MINE)

    benchctl = Benchctl(build, cwd=tmp_path, stdin=subprocess.DEVNULL, DEBUGINFOD_URLS="")
    return functools.partial(benchctl, "debug")


@gdb
@pytest.mark.parametrize("name, filter", [("mine.c", "length"), ("mine.c", "mine/length/n=2"), ("mine.cc", "length/n=1")])
def test_it_stops_where_the_loop_begins_and_shows_what_follows(typed, name, filter):
    done = typed(name, filter, "--", "-batch", "-ex", "bt 1", "-ex", "p filled_text[5]", "-ex", "info registers rip")
    line = MINE.splitlines().index("        bench_loop(b) { /* here */") + 1

    assert re.search(rf"^#0 .*bench_(body|run)_length .*{name}:{line}$", done.stdout, re.M), done.stdout + done.stderr
    assert "= 120 'x'" in done.stdout, "what stands before the loop was done"
    assert re.search(r"^=> 0x[0-9a-f]+ .*:\t\w+", done.stdout, re.M)


@gdb
def test_a_module_without_debug_information_stops_too(typed, modules):
    module = modules(MINE.replace("#include <benchd/bench.h>", ""), "-g0")
    done = typed(module, "length", "--", "-batch", "-ex", "x/s &filled_text", "-ex", "info symbol $pc")
    assert '"' + 99 * "x" + '"' in done.stdout.replace('"...', '"') or "'x' <repeats 99 times>" in done.stdout
    assert "bench_body_length + " in done.stdout


@gdb
def test_a_built_in_benchmark_needs_no_module(typed):
    assert re.search(r"^bench_body_strlen \+ ", typed("strings/strlen/bytes=16", "--", "-batch", "-ex", "info symbol $pc").stdout, re.M)


@gdb
def test_variables_go_along(typed, tmp_path):
    (tmp_path / "mine.c").write_text(MINE.replace("const char *text = filled_text;", "const char *text = getenv(\"MINE\");")
                                     .replace("#include <string.h>", "#include <stdlib.h>\n#include <string.h>"))
    done = typed("--env=MINE=yes", "mine.c", "length", "--", "-batch", "-ex", "p (char *)text")
    assert '"yes"' in done.stdout


@pytest.mark.parametrize("words, code, said, more", [
    ([], USAGE, "takes a module and a benchmark", {}),
    (["mine.c"], USAGE, "Which benchmark? benchctl debug mine.c BENCHMARK", {}),
    (["mine.c", "lenght"], USAGE, "mine.c has no symbol of a benchmark lenght.", {}),
    (["nosuch.so", "length"], USAGE, "Cannot read nosuch.so", {}),
    (["mine.c", "length"], MACHINE, "Cannot run the debugger /nosuch: No such file", {"BENCHCTL_DEBUGGER": "/nosuch"}),
])
def test_what_cannot_be_debugged_says_why(typed, words, code, said, more):
    assert said in typed(*words, expect=code, **more).stderr


def test_the_debugger_is_the_user_s_choice(typed):
    done = typed("mine.c", "length", "--", "-batch", BENCHCTL_DEBUGGER="echo mydb")
    assert re.match(r"mydb -q -ex .* -batch --args \S+/benchctl run --here \S+/mine-[0-9a-f]+\.so -- length\n", done.stdout)

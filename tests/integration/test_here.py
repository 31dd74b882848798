# SPDX-License-Identifier: GPL-3.0-or-later
"""run --here: a module in the process that was started, for debuggers, profilers and sanitizers."""

import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

from support.benchctl import ANY, BENCHMARK, USAGE, Benchctl
from support.paths import BUILD, IS_SANITIZED

TOUCHES = "daemon/runner/load/here* client/ctl/ask/here.* preloaded"

ORIENTATION = "for orientation only"

MODULE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int sum(const char *bytes, int n) {
    int total = 0;
    for (int i = 0; i < n; i++)
        total += bytes[i];
    return total;
}
static void total(struct bench *b, int n) {
    char *bytes = calloc(1, 100);
    bench_loop(b) { bench_opaque(bytes); bench_use(sum(bytes, n)); }
    free(bytes);
}
BENCH(fine) { total(b, 100); }
BENCH(overrun) { total(b, 101); }
BENCH(sized, .args = BENCH_ARGS(n, 1, 2), .threads = BENCH_THREADS(1, 2)) {
    bench_counter(b, "size", bench_arg(b, 0));
    bench_loop(b) { bench_pause(b); bench_clobber(); bench_resume(b); }
}
static void fill(void *input, uint64_t index, void *context) { *(int *)input = 7; }
BENCH(inputs) {
    bench_inputs(b, sizeof(int), fill, NULL, NULL);
    bench_loop(b) if (*(int *)bench_input(b) != 7) abort();
}
BENCH(fails) { bench_fail(b, "41, not 42"); bench_loop(b) ; }
BENCH(skips) { bench_skip(b, "no such device"); bench_loop(b) ; }
BENCH(crashes) { bench_loop(b) *(volatile int *)8 = 1; }
BENCH(leaves) { bench_loop(b) exit(0); }
BENCH(ends_thread) { bench_loop(b) pthread_exit(NULL); }
BENCH(tells) {
    char where[4096];
    printf("uid %d cwd %s GREETING %s\n", (int)getuid(), getcwd(where, sizeof where), getenv("GREETING"));
    bench_loop(b) bench_clobber();
}
BENCH(device) { bench_label(b, "by %s", "hand"); bench_loop(b) bench_manual_ns(b, 2e9); }
BENCH(hidden_one, .hidden = 1) { bench_loop(b) bench_clobber(); }
"""


@pytest.fixture(scope="module")
def module(modules):
    return modules(MODULE, "-g", name="here")


@pytest.fixture
def here(build):
    return functools.partial(Benchctl(build, "--here", timeout=300), "run")


def rows(done):
    """What the table says of each benchmark, by its name."""
    return dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if line.startswith("here"))


def test_what_runs_well_has_a_line_that_claims_no_more_than_orientation(here, module):
    done = here(module, "--", "fine", "inputs")
    assert ORIENTATION in done.stdout.splitlines()[0]
    assert set(rows(done)) == {f"{area(done)}/fine", f"{area(done)}/inputs"}
    for text in rows(done).values():
        assert " an iteration, " in text and " iterations in " in text
        assert "±" not in text and "Fit" not in text
    assert done.stderr == ""


def area(done):
    return next(iter(rows(done))).split("/")[0]


def test_filters_arguments_threads_and_counters_work(here, module):
    text = here(module, "--", "sized/n=2", "hidden_*").stdout
    lines = [line for line in text.splitlines()[1:] if line]
    assert len(lines) == 2 and "sized/n=2 " in lines[0] and "sized/n=2 threads=2 " in lines[1]
    assert lines[0].endswith("size 2") and lines[1].endswith("size 4")
    assert "hidden_one" in here(module, "--", "hidden_one").stdout


def test_a_time_that_the_body_tells_stands_for_the_clock_s_and_its_label_beside_it(here, module):
    line = here(module, "--", "device").stdout.splitlines()[1]
    assert " 2 s an iteration, " in line and line.endswith(", by hand")


def test_counts_are_given_on_the_command_line(here, module):
    text = here("--samples=3", "--iterations=1000", module, "--", "fine").stdout
    assert "3000 iterations in 3 batches" in text


def test_each_number_that_here_takes_reaches_the_runner(here, module):
    rows = re.findall(r'{ "([\w-]+)", (\d+)u, (\d+)u, ', (BUILD / "common/words/here-options.h").read_text())
    numbers = {name: max(int(least) // int(unit), 1) for name, unit, least in rows if int(unit) > 0}
    assert len(numbers) >= 5
    for name, number in numbers.items():
        assert " an iteration, " in here(f"--{name}={number}", module, "--", "fine").stdout


def test_the_module_has_the_caller_s_user_directory_and_environment(here, module, tmp_path):
    text = here("--env=GREETING=hello", module, "--", "tells", cwd=tmp_path).stdout
    assert f"uid {os.getuid()} cwd {tmp_path} GREETING hello" in text


def test_a_failure_is_told_and_is_the_exit_status(here, module):
    done = here(module, "--", "fails", "fine", expect=BENCHMARK)
    assert "It called bench_fail: 41, not 42" in done.stdout and "/fine" in done.stdout
    assert "no such device" in here(module, "--", "skips").stdout
    assert "ended one of its threads" in here(module, "--", "ends_thread", expect=BENCHMARK).stdout
    assert "exit status 0" in here(module, "--", "leaves", expect=BENCHMARK).stderr
    assert "No benchmark" in here(module, "--", "absent", expect=USAGE).stderr


def test_a_crash_is_the_process_s_own(here, module):
    here(module, "--", "crashes", expect=-signal.SIGSEGV)


def test_a_module_in_this_directory_and_a_library_beside_it_are_found(here, build, tmp_path):
    include = f"-I{pathlib.Path(__file__).parents[2] / 'include'}"
    (tmp_path / "answer.c").write_text("int answer(void) { return 42; }")
    (tmp_path / "asks.c").write_text("#include <benchd/bench.h>\nint answer(void);\n"
                                     "BENCH(asks) { if (answer() != 42) bench_fail(b, \"no\"); bench_loop(b) bench_clobber(); }")
    compile = ["gcc", "-O2", "-shared", "-fPIC", include]
    subprocess.run([*compile, "answer.c", "-o", "libanswer.so", "-Wl,-soname,libanswer.so"], cwd=tmp_path, check=True)
    subprocess.run([*compile, "asks.c", "-o", "asks.so", "-L.", "-lanswer"], cwd=tmp_path, check=True)
    assert "asks/asks" in here("asks.so", cwd=tmp_path).stdout
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "asks.so").write_bytes((tmp_path / "asks.so").read_bytes())
    assert "needs the library libanswer.so, which was not found" in here("elsewhere/asks.so", cwd=tmp_path, expect=BENCHMARK).stderr
    assert "asks/asks" in here("--with=libanswer.so", "elsewhere/asks.so", cwd=tmp_path).stdout
    assert "asks/asks" in here("elsewhere/asks.so", cwd=tmp_path, LD_LIBRARY_PATH=str(tmp_path)).stdout


@pytest.mark.parametrize("option", ["--private", "--detach", "--format=json", "--quick", "--seed=1", "--processes=3",
                                    "--socket=/none", "--output=x"])
def test_options_that_need_the_daemon_are_refused(here, module, option):
    said = here(option, module, expect=USAGE).stderr
    assert f"--here cannot be combined with {option.split('=')[0]}" in said


def hints(said):
    """The commands that a message names."""
    return [line.split(": ", 1)[1] for line in said.splitlines() if "Run it " in line]


def as_typed(command, cwd):
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=cwd, timeout=300)


def test_the_hint_of_a_crash_works_as_typed(build, here, modules, tmp_path):
    directory = tmp_path / "it's here"
    directory.mkdir()
    source = """
#include <stdlib.h>
BENCH(well, .area = "odd") { bench_loop(b) bench_clobber(); }
BENCH(falls, .area = "odd", .args = BENCH_ARGS(n, 1, 2), .hidden = 1) {
    if (!getenv("GREETING"))
        bench_fail(b, "it has no greeting");
    bench_loop(b) *(volatile int *)(8 * bench_arg(b, 0)) = 1;
}
"""
    (directory / "a b.so").write_bytes(modules(source, "-g").read_bytes())
    done = Benchctl(build, "--private", cwd=directory)("run", "--quick", "--env=GREETING=good day", "./a b.so", "--", "odd/falls/n=2", expect=BENCHMARK)
    command, = hints(done.stderr)
    assert command.startswith("gdb --args ") and command.endswith(" -- odd/falls/n=2")
    followed = as_typed(command.removeprefix("gdb --args "), directory)
    assert followed.returncode in (-signal.SIGSEGV, 128 + signal.SIGSEGV), followed
    if shutil.which("gdb"):
        followed = as_typed(command.replace("gdb ", "gdb -nx -batch -ex run -ex bt ", 1), directory)
        assert "bench_body_falls" in followed.stdout and "SIGSEGV" in followed.stdout


def test_the_hint_finds_a_library_beside_the_module(build, tmp_path):
    include = f"-I{pathlib.Path(__file__).parents[2] / 'include'}"
    compile = ["gcc", "-g", "-O2", "-shared", "-fPIC", include]
    (tmp_path / "deeper.c").write_text("int *volatile nowhere; void deeper(void) { *nowhere = 1; }")
    (tmp_path / "deep.c").write_text("void deeper(void); void deep(void) { deeper(); }")
    (tmp_path / "falls.c").write_text("#include <benchd/bench.h>\nvoid deep(void);\n"
                                      "BENCH(falls) { bench_loop(b) { deep(); bench_clobber(); } }")
    for name, needs in (("libdeeper", []), ("libdeep", ["-ldeeper"]), ("falls", ["-ldeep"])):
        subprocess.run([*compile, f"{name.removeprefix('lib')}.c", "-o", f"{name}.so", f"-Wl,-soname,{name}.so", "-L.", *needs],
                       cwd=tmp_path, check=True)
    done = Benchctl(build, "--private", cwd=tmp_path)("run", "--quick", "falls.so", expect=BENCHMARK)
    command, = hints(done.stderr)
    followed = as_typed(command.removeprefix("gdb --args "), tmp_path)
    assert followed.returncode in (-signal.SIGSEGV, 128 + signal.SIGSEGV), followed


def test_a_module_that_ends_while_it_is_loaded_has_a_hint_too(build, modules):
    ends = modules("#include <unistd.h>\n__attribute__((constructor)) static void leave(void) { _exit(1); }\n"
                   "BENCH(empty) { bench_loop(b) bench_clobber(); }")
    private = Benchctl(build, "--private", expect=ANY)
    command, = hints(private("run", "--quick", ends).stderr)
    assert command.endswith(f"run --here {ends}")
    crashes = modules("__attribute__((constructor)) static void fall(void) { *(volatile int *)8 = 1; }\n"
                      "BENCH(empty) { bench_loop(b) bench_clobber(); }")
    assert hints(private("run", "--quick", crashes).stderr)[0].startswith("gdb --args ")
    assert hints(private("run", "--quick", __file__).stderr) == []


def test_what_is_no_module_is_refused_in_words(here, module, tmp_path):
    text = tmp_path / "text.so"
    text.write_text("text\n")
    assert "not an ELF file" in here(text, expect=BENCHMARK).stderr
    assert "one module" in here(module, module, expect=USAGE).stderr
    assert "Cannot read" in here(tmp_path / "absent.so", expect=USAGE).stderr


def library(name):
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.isabs(found):
        pytest.skip(f"gcc has no {name}")
    return found


def test_an_address_sanitizer_that_is_preloaded_finds_the_line(here, modules):
    module = modules(MODULE, "-g", "-fsanitize=address", name="here")
    asan = {"LD_PRELOAD": library("libasan.so")}
    assert "/fine" in here(module, "--", "fine", "fails", expect=BENCHMARK, **asan).stdout
    assert "# Timed with it: preloaded-library, address-sanitizer.\n" in here(module, "--", "fine", **asan).stdout
    said = here(module, "--", "overrun", expect=1, **asan).stderr
    assert "heap-buffer-overflow" in said and "in sum" in said
    assert "False positive" not in said


def test_an_undefined_behaviour_sanitizer_prints_to_the_terminal(here, modules):
    library("libubsan.so")
    module = modules("BENCH(shifts) { int by = 40; bench_loop(b) { bench_opaque(by); bench_use(1 << by); } }", "-g",
                     "-fsanitize=undefined", name="here")
    assert "runtime error: shift exponent 40" in here(module).stderr


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.skipif(IS_SANITIZED, reason="valgrind runs no program with AddressSanitizer in it")
def test_valgrind_finds_the_line_and_nothing_in_the_runner(here, module):
    valgrind = ["valgrind", "--trace-children=yes", "--error-exitcode=9"]
    few = ["--samples=3", "--iterations=10"]
    here(*few, module, "--", "fine", "sized", before=valgrind)
    said = here(*few, module, "--", "overrun", before=valgrind, expect=9).stderr
    assert "Invalid read of size 1" in said and "here" in said
    assert "# Timed with it: valgrind.\n" in here(*few, module, "--", "fine", before=valgrind).stdout
    assert "Timed with it" not in here(*few, module, "--", "fine").stdout
    lost = here(module, "--", "fine", before=["valgrind"], expect=USAGE).stderr
    assert "valgrind --trace-children=yes" in lost


@pytest.mark.skipif(not shutil.which("gdb"), reason="gdb is not installed")
def test_gdb_stops_in_the_line_that_crashed(here, module):
    gdb = ["gdb", "-nx", "-batch", "-ex", "run", "-ex", "bt", "--args"]
    said = here(module, "--", "crashes", before=gdb)
    assert "SIGSEGV" in said.stdout and "bench_body_crashes" in said.stdout


@pytest.mark.skipif(not shutil.which("perf"), reason="perf is not installed")
def test_perf_sees_the_function_that_took_the_time(here, module, tmp_path):
    data = tmp_path / "perf.data"
    recorded = subprocess.run(["perf", "record", "-o", data, "true"], capture_output=True)
    if recorded.returncode != 0:
        pytest.skip("perf may not record here")
    here(module, "--", "fine", before=["perf", "record", "-q", "-o", data])
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort=symbol"], capture_output=True, text=True).stdout
    assert "bench_body_fine" in report or "sum" in report or "total" in report

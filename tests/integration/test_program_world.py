# SPDX-License-Identifier: GPL-3.0-or-later
"""A module runs as the same code would in a program of its own: what it defines, links, sets and finds is what a program has."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from support.benchctl import ANY, Benchctl
from support.client import BRIEF, Failed

TOUCHES = "start own-calls context* own-malloc memory-lock daemon/runner/load/module*"

THREE = BRIEF | dict(processes=3, samples=5, seed=1)
ONE = THREE | dict(processes=1)


def counters(run):
    """{benchmark's name: {counter: value}}"""
    for row in run.benchmarks.values():
        assert not row.HasField("failed"), (row.name, row.failed.message, row.output)
    return {row.name: {counter.name: counter.value for counter in row.counters} for row in run.benchmarks.values()}


def library(path, text, *flags):
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-x", "c", "-", "-o", path, *flags], input=text, text=True, check=True)
    return path


# ---- symbols

OWN_NAMES = r"""
#include <stdlib.h>
#include <string.h>
static int used;
size_t strnlen(const char *s, size_t n) { used++; size_t i = 0; while (i < n && s[i]) i++; return i; }
int toupper(int c) { used++; return 'X'; }
long random(void) { return 4; }
BENCH(own) {
        char text[] = "text";
        bench_opaque(*text);
        bench_counter(b, "length", strnlen(text, 3));
        bench_counter(b, "upper", toupper('a'));
        bench_counter(b, "random", random());
        bench_counter(b, "used", used);
        bench_loop(b) bench_clobber();
}
"""


def test_a_function_of_the_module_s_stands_in_for_libc_s(client, modules):
    run = client.run(modules(OWN_NAMES, "-fno-builtin"), **ONE)
    assert counters(run)["own"] == {"length": 3, "upper": ord("X"), "random": 4, "used": 2}


# Each does nothing of what the runner wants of it. The runner asks none of them.
NAMES_OF_THE_RUNNER = r"""
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
static unsigned long asked;
#define SPOIL(type, name, ...) type name(__VA_ARGS__) { asked++; errno = ENOSYS; return (type)-1; }
SPOIL(long, write, int fd, const void *p, unsigned long n)
SPOIL(long, read, int fd, void *p, unsigned long n)
SPOIL(long, pread, int fd, void *p, unsigned long n, long at)
SPOIL(long, pwrite, int fd, const void *p, unsigned long n, long at)
SPOIL(int, open, const char *path, int flags, ...)
SPOIL(int, close, int fd)
SPOIL(int, prctl, int what, ...)
SPOIL(long, syscall, long n, ...)
SPOIL(int, clock_gettime, int clock, void *t)
SPOIL(int, getrusage, int who, void *u)
SPOIL(int, sched_getcpu, void)
SPOIL(int, sched_getaffinity, int pid, unsigned long n, void *set)
SPOIL(int, sched_getscheduler, int pid)
SPOIL(int, sigaction, int n, const void *a, void *b)
SPOIL(int, munmap, void *p, unsigned long n)
SPOIL(int, snprintf, char *p, unsigned long n, const char *format, ...)
SPOIL(int, vsnprintf, char *p, unsigned long n, const char *format, va_list l)
SPOIL(unsigned long, strlen, const char *s)
SPOIL(int, strcmp, const char *a, const char *b)
void *dlsym(void *handle, const char *name) { asked++; return 0; }
void *dlopen(const char *path, int flags) { asked++; return 0; }
void *mmap(void *p, unsigned long n, int a, int f, int fd, long at) { asked++; return (void *)-1; }
void *memcpy(void *to, const void *from, unsigned long n) { asked++; for (unsigned long i = 0; i < n; i++) ((volatile char *)to)[i] = ((const char *)from)[i]; return to; }
void *memset(void *to, int c, unsigned long n) { asked++; for (unsigned long i = 0; i < n; i++) ((volatile char *)to)[i] = c; return to; }
BENCH(stands) {
        unsigned long before = asked;

        bench_counter(b, "one", 1);
        bench_loop(b) bench_clobber();
        if (asked != before)
                bench_fail(b, "%lu calls within the loop", asked - before);
}
"""


@pytest.mark.parametrize("mode", ["run", "list", "compare"])
def test_a_module_that_exports_the_runner_s_own_calls_is_measured_all_the_same(client, modules, mode):
    module = modules(NAMES_OF_THE_RUNNER, "-fno-builtin", "-fno-stack-protector", "-w", name="names")
    if mode == "list":
        assert [entry.name for entry in client.list(module).benchmarks] == ["stands"]
        return
    run = client.compare(module, module, **THREE) if mode == "compare" else client.run(module, **THREE)
    for row in run.benchmarks.values():
        assert not row.HasField("failed"), (row.failed.message, row.output)
        assert row.time_ns.point > 0 and {counter.name: counter.value for counter in row.counters} == {"one": 1}


def test_a_module_that_defines_objects_of_libc_s_runs_everywhere(build, modules):
    """Objects are one for the whole process: those by which --here reads its arguments too."""
    module = modules("""
char *optarg = "mine"; int optind = 77, opterr = 3;
int main(void) { __builtin_trap(); }
BENCH(objects) { bench_loop(b) bench_clobber(); }""")
    for words in ["--private", "--quick"], ["--here"]:
        done = Benchctl(build)("run", *words, module, expect=ANY)
        assert done.returncode == 0 and "objects" in done.stdout, done


# ---- allocators

ALLOCATOR = r"""
#include <stddef.h>
#include <string.h>
static char memory[1 << 24];
static size_t at;
static unsigned long calls;
unsigned long allocator_calls(void) { return calls; }
void *malloc(size_t n) { calls++; size_t *p = (size_t *)(memory + at); at = (at + n + 31) % (sizeof memory / 2) & ~15ul; *p = n; return p + 2; }
void free(void *p) { calls++; size_t *q = p ? (size_t *)p - 2 : 0; if (q && (((char *)q - memory + *q + 31) & ~15ul) == at) at = (char *)q - memory; }
void *calloc(size_t n, size_t size) { void *p = malloc(n * size); return memset(p, 0, n * size); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) { size_t was = ((size_t *)p)[-2]; memcpy(q, p, was < n ? was : n); } return q; }
"""
ASKS = r"""
#include <stdlib.h>
#include <string.h>
extern unsigned long allocator_calls(void) __attribute__((weak));
BENCH(allocates) {
        unsigned long before = allocator_calls ? allocator_calls() : 0;
        char *copy = strdup("a text that libc allocates");

        free(copy);
        bench_loop(b) { void *p = malloc(24); bench_use(p); free(p); }
        bench_counter(b, "own", allocator_calls && allocator_calls() > before + 4);
}
"""


@pytest.mark.parametrize("way", ["defined", "linked", "preloaded"])
def test_the_allocator_is_the_one_that_a_program_would_have(client, modules, tmp_path, way):
    own = library(tmp_path / "libown.so", ALLOCATOR, "-fno-builtin")
    if way == "defined":
        run = client.run(modules(ALLOCATOR + ASKS.replace("extern unsigned long allocator_calls(void) __attribute__((weak));", ""), "-fno-builtin"), **ONE)
    elif way == "linked":
        named = library(tmp_path / "libnamed.so", ALLOCATOR, "-fno-builtin", "-Wl,-soname,libnamed.so")
        run = client.run(modules(ASKS, "-fno-builtin", named), [named], **ONE)
    else:
        run = client.run(modules(ASKS, "-fno-builtin"), [own], environment=["LD_PRELOAD=libown.so"], **ONE)
    assert counters(run) == {"allocates": {"own": 1}}


def test_variables_that_libc_reads_at_its_start_hold(client, modules):
    module = modules(r"""
#include <malloc.h>
#include <stdlib.h>
BENCH(mapped) {
        void *p = malloc(1 << 20);
        bench_use(p);
        bench_counter(b, "mapped", mallinfo2().hblks);
        bench_loop(b) bench_use(p);
}""")
    for variable in "MALLOC_MMAP_THRESHOLD_=4194304", "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=4194304":
        assert counters(client.run(module, environment=[variable], **ONE))["mapped"] == {"mapped": 0}
    assert counters(client.run(module, **ONE))["mapped"] == {"mapped": 1}


def test_the_environment_is_there_before_the_first_constructor_and_has_nothing_of_the_runner_s(client, modules):
    module = modules(r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
static int seen;
__attribute__((constructor)) static void before(void) { seen = getenv("GREETING") && strcmp(getenv("GREETING"), "hello") == 0; }
BENCH(environment) {
        int loader = 0, n = 0;
        for (char **e = environ; *e; e++, n++)
                loader += strncmp(*e, "LD_", 3) == 0;
        bench_counter(b, "seen", seen);
        bench_counter(b, "loader", loader);
        bench_counter(b, "child", system("env | grep -c ^LD_ >/dev/null") == 0);
        bench_counter(b, "names", n);
        bench_loop(b) bench_clobber();
}""")
    assert counters(client.run(module, environment=["GREETING=hello"], **ONE))["environment"] == \
        {"seen": 1, "loader": 0, "child": 0, "names": 5}


# ---- what is preloaded

TELLS = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
long random(void);
BENCH(tells) {
        int loader = 0;
        void *p;

        for (char **e = environ; *e; e++)
                loader += strncmp(*e, "LD_", 3) == 0;
        bench_counter(b, "first", random());
        bench_counter(b, "loader", loader);
        bench_counter(b, "child", system("grep -q libpreload /proc/self/maps") == 0);
        p = dlopen("libpreload-one.so", RTLD_NOW | RTLD_NOLOAD);
        bench_counter(b, "by_name", p != NULL);
        bench_loop(b) bench_clobber();
}
"""
SEEN = {"first": 1, "loader": 0, "child": 0, "by_name": 1}
FEWER = ("--processes=2", "--samples=5", "--min-time=0.01", "--warmup=1", "--seed=1")


@pytest.fixture
def preloads(tmp_path):
    """Two libraries that each replace random(), and return 1 or 2."""
    return [library(tmp_path / f"libpreload-{word}.so", f"long random(void) {{ return {number}; }}") for number, word in ((1, "one"), (2, "two"))]


@pytest.fixture
def tells(modules):
    return modules(TELLS, name="tells")


def test_a_preloaded_library_stands_before_libc_and_nobody_sees_it(build, tells, preloads):
    one, two = preloads
    result = Benchctl(build, "--private").json("run", *FEWER, f"--preload={one}", f"--preload={two}", tells)
    assert result["benchmarks"][0]["counters"] == SEEN
    assert [(row["name"], row["preloaded"]) for row in result["module"]["libraries"]] == [(one.name, True), (two.name, True)]
    assert "instrumented" not in [warning for row in result["benchmarks"] for warning in row["warnings"]] and result["instrumented"] == []


def test_of_two_the_first_wins_and_both_win_over_the_user_s_own_and_over_needs(build, modules, preloads, tmp_path):
    one, two = preloads
    needed = library(tmp_path / "libneeded.so", "long random(void) { return 3; }", "-Wl,-soname,libneeded.so")
    module = modules("long random(void); BENCH(x) { bench_loop(b) bench_clobber(); bench_counter(b, \"first\", random()); }", needed, name="needs")
    first = lambda *words: Benchctl(build, "--private").json("run", *FEWER, f"--with={needed}", f"--with={two}", *words, module)["benchmarks"][0]["counters"]["first"]
    assert first() == 3
    assert first(f"--preload={two}", f"--preload={one}") == 2
    assert first(f"--preload={one}", "--env=LD_PRELOAD=libpreload-two.so") == 1
    assert first("--env=LD_PRELOAD=libpreload-two.so") == 2


def test_the_module_s_own_function_stays_its_own(build, modules, preloads):
    module = modules("long random(void) { return 4; } BENCH(x) { bench_loop(b) bench_clobber(); bench_counter(b, \"first\", random()); }", name="defines")
    result = Benchctl(build, "--private").json("run", *FEWER, f"--preload={preloads[0]}", module)
    assert result["benchmarks"][0]["counters"] == {"first": 4}


@pytest.mark.parametrize("words", [["run"], ["run", "--memory"], ["run", "--here"], ["compare"]], ids=" ".join)
def test_another_allocator_is_timed(build, modules, tmp_path, words):
    own = library(tmp_path / "libown.so", ALLOCATOR, "-fno-builtin")
    module = modules(ASKS, "-fno-builtin", name="asks")
    sides = [module, module] if words == ["compare"] else [module]
    if "--here" in words:
        done = Benchctl(build)(*words, "--samples=3", f"--preload={own}", module)
        assert "own 1" in done.stdout and "own 0" in Benchctl(build)(*words, "--samples=3", module, expect=ANY).stdout
        return
    result = Benchctl(build, "--private").json(*words, *FEWER, f"--preload={own}", *sides)
    assert [row["counters"] for row in result["benchmarks"]] == len(sides) * [{"own": 1}]
    if "--memory" in words:
        memory, = (row["memory"] for row in result["benchmarks"])
        assert (memory["allocations_per_operation"], memory["bytes_per_operation"]) == (1, 24)


def test_a_list_has_it_too(build, modules, preloads):
    module = modules("""
long random(void);
__attribute__((constructor)) static void before(void) { if (random() != 1) __builtin_trap(); }
BENCH(listed) { bench_loop(b) bench_clobber(); }""", name="listed")
    benchctl = Benchctl(build, "--private")
    assert [row["name"] for row in benchctl.json("list", f"--preload={preloads[0]}", module)["benchmarks"]] == ["listed"]
    assert "signal 4" in benchctl("list", module, expect=3).stderr


@pytest.mark.parametrize("here", [[], ["--here"]], ids=["run", "here"])
@pytest.mark.parametrize("make, words", [
    (lambda path: path.write_text("no library\n"), "cannot be loaded: libbad.so(: invalid ELF header|: file too short| is not a shared object)"),
    (lambda path: subprocess.run(["gcc", "-c", "-x", "c", "-", "-o", path], input="int x;", text=True, check=True), "libbad.so(: only ET_DYN| is not a shared object)"),
    (lambda path: path.write_bytes((data := library(path, "int x;").read_bytes())[:4] + b"\1" + data[5:]), "libbad.so: wrong ELF class: ELFCLASS32"),
    (lambda path: library(path, "int nowhere(void); int f(void) { return nowhere(); }"), "undefined symbol: nowhere"),
], ids=["text", "object", "32 bits", "undefined"])
def test_one_that_the_loader_does_not_take_ends_it_in_the_loader_s_words(build, tells, tmp_path, make, words, here):
    make(tmp_path / "libbad.so")
    private = [] if here else ["--private", "--quick"]
    done = Benchctl(build)("run", *here, *private, f"--preload={tmp_path}/libbad.so", tells, expect=ANY)
    assert done.returncode != 0 and re.search(words, done.stderr), done.stderr


@pytest.mark.parametrize("verb", ["run", "list", "compare"])
@pytest.mark.parametrize("name, words", [
    ("libnowhere.so.7", "libnowhere.so.7 is neither a file nor in a directory where the dynamic loader looks"),
    ("./libnowhere.so.7", "Cannot read ./libnowhere.so.7: No such file"),
])
def test_one_that_is_missing_is_told_before_a_daemon_is_asked(build, tells, verb, name, words):
    sides = [tells, tells] if verb == "compare" else [tells]
    done = Benchctl(build)(verb, "--socket=/nowhere", f"--preload={name}", *sides, expect=ANY)
    assert done.returncode != 0 and ("daemon" in done.stderr or words in done.stderr)
    assert words in Benchctl(build, "--private")(verb, f"--preload={name}", *sides, expect=2).stderr


def test_a_bare_name_is_the_system_s_library(build, modules):
    if not os.path.exists("/usr/lib/x86_64-linux-gnu/libc_malloc_debug.so.0"):
        pytest.skip("no libc_malloc_debug.so.0")
    module = modules("""
#include <malloc.h>
#include <stdlib.h>
BENCH(x) { void *p = malloc(1); bench_loop(b) bench_clobber(); bench_counter(b, "usable", malloc_usable_size(p)); free(p); }""", name="usable")
    benchctl = Benchctl(build, "--private")
    result = benchctl.json("run", *FEWER, "--preload=libc_malloc_debug.so.0", "--env=GLIBC_TUNABLES=glibc.malloc.check=3", module)
    assert result["benchmarks"][0]["counters"] == {"usable": 1}  # the checking allocator gives what was asked for, and no more
    assert [row["name"] for row in result["module"]["libraries"]] == ["libc_malloc_debug.so.0"]
    assert benchctl.json("run", *FEWER, module)["benchmarks"][0]["counters"]["usable"] > 1


def test_seventeen_libraries_are_too_many(build, tells, tmp_path):
    words = [f"--{'preload' if i % 2 else 'with'}={library(tmp_path / f'lib{i}.so', f'int f{i};')}" for i in range(17)]
    benchctl = Benchctl(build, "--private")
    assert "more than 16 libraries" in benchctl("run", "--quick", *words, tells, expect=3).stderr
    assert benchctl.json("run", *FEWER, *words[:16], tells)["benchmarks"][0]["failed"] is None


@pytest.mark.parametrize("name", ["lib b.so", "lib:b.so", "lib$ORIGIN.so", "plain"])
@pytest.mark.parametrize("here", [False, True], ids=["run", "here"])
def test_one_of_any_name_is_preloaded(build, tells, preloads, tmp_path, name, here):
    shutil.copy(preloads[1], tmp_path / name)
    words = ["run", "--here", "--samples=3"] if here else ["run", "--private", *FEWER, "--format=json"]
    done = Benchctl(build)(*words, f"--preload={name}", tells, expect=ANY, cwd=tmp_path)
    assert ("first 2" in done.stdout) if here else json.loads(done.stdout)["benchmarks"][0]["counters"]["first"] == 2, done.stderr


def test_a_library_goes_by_its_soname_here_too(build, modules, tmp_path):
    own = library(tmp_path / "libown.so.1.0.0", "int own(void) { return 7; }", "-Wl,-soname,libown.so.1")
    (tmp_path / "libown.so.1").symlink_to(own)
    module = modules('int own(void); BENCH(x) { bench_loop(b) bench_clobber(); bench_counter(b, "own", own()); }', own, name="owns")
    for option in "with", "preload":
        for path in own.name, "libown.so.1", own:
            done = Benchctl(build)("run", "--here", "--samples=3", f"--{option}={path}", module, expect=ANY, cwd=tmp_path)
            assert "own 7" in done.stdout, done.stderr


def test_results_with_another_one_are_not_comparable(build, daemon, tells, preloads, tmp_path):
    one, two = preloads
    benchctl = Benchctl(build, f"--socket={daemon.socket}")
    bare, same, with_one, with_two = (benchctl.json("run", *FEWER, *(f"--preload={path}" for path in paths), tells) for paths in ([], [], [one], [two]))
    results = bare, same, with_one, with_two
    keys = [result["comparability_key"] for result in results]
    held = {any(control["name"] == "tuning" for control in result["environment"]["controls"]) for result in results}  # by another daemon
    assert len(held) > 1 or (keys[0] == keys[1] and len(set(keys)) == 3)
    assert len(set(keys[1:])) == 3
    saved = tmp_path / "saved.json"
    benchctl("run", *FEWER, f"--save-baseline={saved}", tells)
    told = benchctl("run", *FEWER, f"--preload={one}", f"--baseline={saved}", tells, expect=5)
    assert "the preloaded library was none and is libpreload-one.so" in " ".join((told.stdout + told.stderr).split())
    assert "libpreload-one.so preloaded" in told.stdout


def test_an_earlier_job_brings_what_was_preloaded_in_it(build, kept, tells, preloads):
    one, two = preloads
    with kept() as daemon:
        benchctl = Benchctl(build, f"--socket={daemon.socket}")
        job = "@" + benchctl.json("run", *FEWER, f"--preload={one}", tells)["run_id"]

        def first(*words):
            return {row["side"]: row["counters"]["first"] for row in benchctl.json("compare", *FEWER, *words, job, tells)["benchmarks"]}
        assert first(f"--preload={two}") == {"old": 1, "new": 2}
        assert first()["old"] == 1 and first()["new"] not in (1, 2)
        text = benchctl("compare", *FEWER, f"--preload={two}", job, tells).stdout
        assert "libpreload-one.so against libpreload-two.so preloaded" in " ".join(text.split())
        assert "what was preloaded in that job" in benchctl("compare", f"--preload={two}", job, job, expect=2).stderr


def test_a_real_allocator_is_timed(build, modules):
    module = modules("""
#include <dlfcn.h>
#include <stdlib.h>
BENCH(x) {
        bench_loop(b) { void *p = malloc(64); bench_use(p); free(p); }
        bench_counter(b, "jemalloc", dlsym(RTLD_DEFAULT, "mallctl") != NULL);
        bench_counter(b, "tcmalloc", dlsym(RTLD_DEFAULT, "tc_malloc") != NULL);
}""", "-D_GNU_SOURCE", "-fno-builtin", name="real")
    found = [name for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4") if os.path.exists(f"/usr/lib/x86_64-linux-gnu/{name}")]
    if not found:
        pytest.skip("neither libjemalloc2 nor libtcmalloc-minimal4")
    for name in found:
        for more in [], ["--memory"]:
            row, = Benchctl(build, "--private").json("run", *FEWER, *more, f"--preload={name}", module)["benchmarks"]
            assert row["counters"] == {"jemalloc": "jemalloc" in name, "tcmalloc": "tcmalloc" in name}
            assert not more or (row["memory"]["allocations_per_operation"], row["memory"]["bytes_per_operation"]) == (1, 64)


# ---- floating point

STATE = r"""
#include <fenv.h>
#include <xmmintrin.h>
static unsigned short x87(void) { unsigned short word; __asm__("fnstcw %0" : "=m"(word)); return word; }
__attribute__((constructor)) static void before(void) {
        unsigned short word = 0x27f; /* double precision */
        fesetround(FE_DOWNWARD);
        _mm_setcsr(_mm_getcsr() | 0x8040);
        __asm__("fldcw %0" :: "m"(word));
        fesetround(FE_DOWNWARD);
}
BENCH(state, .threads = BENCH_THREADS(1)) {
        bench_label(b, "%x %x %x", fegetround(), _mm_getcsr() & 0x8040, x87() & 0x300);
        bench_loop(b) bench_clobber();
        if (fegetround() != FE_DOWNWARD)
                bench_fail(b, "the loop changed the rounding");
}
"""


def test_the_state_of_floating_point_is_what_constructors_left(client, modules, build):
    module = modules(STATE, "-lm", name="floating")
    row, = client.run(module, **ONE).benchmarks.values()
    assert row.label == "400 8040 200"
    two, = client.run(module, threads=2, **ONE).benchmarks.values() if os.cpu_count() > 1 else [row]
    assert two.label == row.label or two.HasField("failed")
    here = Benchctl(build)("run", "--here", module, expect=ANY).stdout
    assert row.label in here


def test_fast_math_of_a_linked_object_holds(client, modules):
    module = modules("""
#include <float.h>
BENCH(flushes) {
        volatile double tiny = DBL_MIN;
        bench_counter(b, "flushed", tiny / 2 == 0);
        bench_loop(b) bench_clobber();
}""", "-Ofast", "-fno-finite-math-only")
    assert counters(client.run(module, **ONE))["flushes"] == {"flushed": 1}


@pytest.mark.parametrize("sanitizer", ["address", "thread", "undefined", "leak"])
def test_a_module_with_a_sanitizer_runs_and_does_not_wonder_about_the_runner(build, modules, sanitizer):
    module = modules("""
#include <stdlib.h>
BENCH(fine, .threads = BENCH_THREADS(1)) { bench_loop(b) { void *p = malloc(8); bench_use(p); free(p); } }""", f"-fsanitize={sanitizer}")
    for words in ["--here"], ["--here", "--samples=3"], ["--private", "--quick"]:
        done = Benchctl(build)("run", *words, module, expect=ANY)
        if "limited virtual address space" in done.stderr and "--here" in done.stderr:
            pytest.skip("no control group here bounds memory, so the address space is bounded, in which ThreadSanitizer does not start")
        assert done.returncode == 0 and "Sanitizer:" not in done.stdout + done.stderr, done


# ---- the stack

ON_MAIN = r"""
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
BENCH(stack) {
        pthread_attr_t attributes;
        struct rlimit limit;
        size_t size;
        char *low, here;

        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, (void **)&low, &size);
        getrlimit(RLIMIT_STACK, &limit);
        bench_counter(b, "within", &here > low && &here < low + size);
        bench_counter(b, "near the top", low + size - &here < 300000);
        bench_counter(b, "main", getpid() == gettid());
        bench_counter(b, "limit", limit.rlim_cur >= size || limit.rlim_cur == RLIM_INFINITY);
        bench_loop(b) bench_clobber();
}
static __attribute__((noinline)) int deep(int n) { volatile char frame[4096]; frame[0] = n; return n ? deep(n - 1) + frame[0] : 0; }
BENCH(deep) { bench_loop(b) bench_use(deep(1500)); }
"""


def test_the_body_has_the_main_thread_s_stack(client, modules):
    found = counters(client.run(modules(ON_MAIN.replace("near the top", "near_the_top"), "-D_GNU_SOURCE"), **THREE))
    assert found["stack"] == {"within": 1, "near_the_top": 1, "main": 1, "limit": 1}


def test_a_frame_beyond_the_stack_is_a_crash(client, modules):
    row, = client.run(modules("""
#include <string.h>
static __attribute__((noinline)) int fill(void) { volatile char big[64 << 20]; big[0] = 1; return big[0]; }
BENCH(big) { bench_loop(b) bench_use(fill()); }"""), **ONE).benchmarks.values()
    assert row.failed.code == "crashed" and "signal 11" in row.failed.message


def test_a_conservative_collector_finds_its_roots(client, modules):
    if not shutil.which("gcc") or not any(pathlib.Path(path).exists() for path in ["/usr/lib/x86_64-linux-gnu/libgc.so.1"]):
        pytest.skip("no libgc")
    module = modules("""
void GC_init(void); void *GC_malloc(unsigned long n); void GC_gcollect(void);
struct node { struct node *next; long value; };
BENCH(keeps) {
        struct node *head = 0;
        GC_init();
        for (long i = 0; i < 1000; i++) { struct node *node = GC_malloc(sizeof *node); node->next = head; node->value = i; head = node; }
        GC_gcollect();
        bench_loop(b) bench_use(GC_malloc(64));
        long sum = 0;
        for (struct node *node = head; node; node = node->next) sum += node->value;
        bench_counter(b, "sum", sum);
}""", "/usr/lib/x86_64-linux-gnu/libgc.so.1")
    assert counters(client.run(module, **ONE))["keeps"] == {"sum": 499500}


# ---- files beside it

FINDS = r"""
#include <dlfcn.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
BENCH(finds) {
        char path[4096], beside[4096 + 16];
        Dl_info info = {};
        void *plugin;
        FILE *data;

        if (!dladdr((void *)bench_run_finds, &info))
                bench_fail(b, "no dladdr");
        snprintf(path, sizeof path, "%s", info.dli_fname);
        snprintf(beside, sizeof beside, "%s/data.txt", dirname(path));
        data = fopen(beside, "r");
        plugin = dlopen("libplugin.so", RTLD_NOW);
        if (!plugin)
                bench_fail(b, "%s", dlerror());
        bench_counter(b, "name", strstr(info.dli_fname, NAME) != NULL);
        bench_counter(b, "data", data && fgetc(data) == 'd');
        bench_counter(b, "plugin", ((int (*)(void))dlsym(plugin, "answer"))());
        bench_counter(b, "again", chdir("/") == 0 && dlopen("libplugin.so", RTLD_NOW) == plugin);
        bench_loop(b) bench_clobber();
}
"""


def test_it_stands_in_its_directory_by_its_name_with_what_came_along(build, modules, tmp_path):
    plugin = library(tmp_path / "libplugin.so", "int answer(void) { return 42; }")
    (tmp_path / "data.txt").write_text("data")
    module = tmp_path / "finds_it.so"
    shutil.copy(modules(FINDS.replace("bench_run_finds", "bench_body_finds"), '-DNAME="/finds_it.so"', "-D_GNU_SOURCE", name="finds"), module)
    result = Benchctl(build, "--private").json("run", f"--with={plugin}", f"--input={tmp_path}/data.txt", "--quick", module)
    assert result["benchmarks"][0]["counters"] == {"name": 1, "data": 1, "plugin": 42, "again": 1}


@pytest.mark.parametrize("name", ["a b.so", "a:b.so", "a$ORIGIN.so", "no-suffix", "data.txt", "lib.so.1.2"])
def test_a_module_of_any_name_runs(build, modules, tmp_path, name):
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "data.txt").write_text("data")
    shutil.copy(modules("BENCH(any) { bench_loop(b) bench_clobber(); }", name="any"), tmp_path / name)
    result = Benchctl(build, "--private").json("run", f"--input={tmp_path}/input/data.txt", "--quick", tmp_path / name)
    assert result["benchmarks"][0]["failed"] is None


def test_large_static_thread_local_storage_finds_room(client, modules):
    module = modules("""
static __thread char large[65536] __attribute__((tls_model("initial-exec")));
BENCH(local) { large[1] = 1; bench_loop(b) { bench_opaque(large[0]); bench_use(large[65535]); } bench_counter(b, "one", large[1]); }""")
    assert counters(client.run(module, **ONE))["local"] == {"one": 1}
    assert [entry.name for entry in client.list(module).benchmarks] == ["local"]


# ---- while it is loaded

@pytest.mark.parametrize("text, words", [
    ("exit(3)", "exit status 3 while the module was loaded"),
    ("_exit(4)", "exit status 4 while the module was loaded"),
    ("*(volatile int *)8 = 1", "signal 11.*while the module was loaded"),
    ("abort()", "signal 6.*while the module was loaded"),
], ids=["exit", "_exit", "crash", "abort"])
def test_a_constructor_that_ends_it_is_told(client, modules, text, words):
    module = modules(f"""
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void before(void) {{ {text}; }}
BENCH(never) {{ bench_loop(b) bench_clobber(); }}""")
    with pytest.raises(Failed, match=f"(?s){words}"):
        client.run(module, **ONE)


@pytest.mark.parametrize("text, words", [
    ("int nowhere(void);", "It cannot be loaded: .*undefined symbol: nowhere"),
    ("int nowhere(void) __attribute__((weak));", None),
], ids=["undefined", "weak"])
def test_what_nobody_defines_is_told_in_the_loader_s_words(client, modules, text, words):
    module = modules(f"{text} BENCH(x) {{ volatile int never = 0; bench_loop(b) if (never) bench_use(nowhere()); }}")
    if not words:
        client.run(module, **ONE)
        return
    with pytest.raises(Failed, match=words):
        client.run(module, **ONE)


def test_a_file_that_is_no_library_is_refused_though_nobody_needs_it(client, modules, tmp_path):
    text = tmp_path / "libtext.so"
    text.write_text("text\n")
    with pytest.raises(Failed, match="A library that came with it cannot be loaded: libtext.so is not a shared object"):
        client.run(modules("BENCH(x) { bench_loop(b) bench_clobber(); }"), [text], **ONE)


def test_a_library_that_is_missing_is_told_in_the_loader_s_words(client, modules, tmp_path):
    missing = library(tmp_path / "libmissing.so", "int missing(void) { return 1; }", "-Wl,-soname,libmissing.so.3")
    module = modules("int missing(void); BENCH(x) { bench_loop(b) bench_use(missing()); }", missing)
    with pytest.raises(Failed, match="It cannot be loaded: libmissing.so.3: cannot open shared object file"):
        client.run(module, **ONE)

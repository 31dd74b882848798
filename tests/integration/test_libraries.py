# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that come with modules: each module is bound to its own, two versions of one library beside each other included."""

import os
import shutil
import subprocess

import pytest

from support.benchctl import BENCHMARK
from support.client import Failed

TOUCHES = "library-search elf-needs client/lib/module* module-files"

FEW = ["--processes=4", "--samples=12", "--min-time=0.02", "--warmup=2", "--seed=1"]

# Both versions export all of it, and call it through the PLT. The state is of a file, and grows with each call.
FOO = """
int bar(void);
int state_next(void);
int foo_helper(void) { return VERSION; }
int foo(void) { return foo_helper(); }
int foo_bar(void) { return bar(); }
int foo_calls(void) { static int calls; return ++calls; }
int foo_state(void) { return state_next(); }
"""
BAR = "int bar(void) { return 10 * VERSION; }"
STATE = "static int state = 100; int state_next(void) { return ++state; }"

# The body says itself which version it got, before and behind the loop.
USES = """
int foo(void); int foo_helper(void); int foo_bar(void); int foo_calls(void); int foo_state(void); int state_next(void);
static void check(struct bench *b, const char *what, int is, int expected)
{
        if (is != expected)
                bench_fail(b, "%s is %d, not %d", what, is, expected);
}
BENCH(foo, .area = "a")
{
        check(b, "foo", foo(), VERSION);
        check(b, "foo_helper", foo_helper(), VERSION);
        check(b, "bar", foo_bar(), 10 * VERSION);
        check(b, "calls", foo_calls(), 1);
        check(b, "state", foo_state(), 101);
        check(b, "state", state_next(), 102);
        bench_counter(b, "version", foo());
        bench_loop(b)
                bench_use(foo());
        check(b, "foo afterwards", foo(), VERSION);
        check(b, "calls afterwards", foo_calls(), 2);
        check(b, "state afterwards", foo_state(), 103);
}
"""

LINKERS = {
    "ld": [],
    "gold": ["-fuse-ld=gold"],
    "lld": ["-fuse-ld=lld"],
    "versioned": ["-Wl,--default-symver"],
    "lto": ["-flto"],
    "lazy": ["-Wl,-z,lazy,-z,norelro,--hash-style=sysv"],
    "one segment": ["-Wl,-z,noseparate-code,-s"],
}


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


def link(path, text, *flags, soname=True, version=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text(text)
    names = [f"-Wl,-soname,{path.name}"] if soname is True else [f"-Wl,-soname,{soname}"] if soname else []
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", f"-DVERSION={version}", *names, str(source), "-o", path.name, *map(str, flags)],
                   check=True, cwd=path.parent)
    return path


def version_of(directory, modules, version, *flags, soname=True):
    """A module that uses libfoo, which uses libbar and libstate, all in one directory."""
    directory.mkdir()
    state = link(directory / "libstate.so.1", STATE, *flags, soname=soname)
    bar = link(directory / "libbar.so.1", BAR, *flags, soname=soname, version=version)
    foo = link(directory / "libfoo.so.1", FOO, "-L.", "-l:libbar.so.1", "-l:libstate.so.1", *flags, soname=soname, version=version)
    built = modules(USES, f"-DVERSION={version}", f"-L{directory}", "-l:libfoo.so.1", "-l:libstate.so.1", "-Wl,-rpath-link," + str(directory),
                    *flags, name=f"uses-{version}")
    module = directory / "b.so"
    shutil.copy(built, module)
    return module, [bar, state, foo]


def versions(result):
    """The version that either side's body saw."""
    return {row["side"]: row["counters"]["version"] for row in result["benchmarks"]}


@pytest.mark.parametrize("linker", LINKERS)
def test_each_side_has_its_own_version_of_a_library_whatever_linked_it(benchctl, modules, tmp_path, linker):
    flags = LINKERS[linker]
    if subprocess.run(["gcc", *flags, "-Wl,--version"], capture_output=True).returncode != 0:
        pytest.skip(f"no {linker}")
    old, _ = version_of(tmp_path / "v1", modules, 1, *flags)
    new, _ = version_of(tmp_path / "v2", modules, 2, *flags)
    assert versions(benchctl.json("compare", old, new, *FEW)) == {"old": 1, "new": 2}
    assert versions(benchctl.json("compare", new, old, *FEW)) == {"old": 2, "new": 1}


def test_libraries_without_a_soname_are_loaded_and_kept_apart_too(benchctl, modules, tmp_path):
    old, _ = version_of(tmp_path / "v1", modules, 1, soname=False)
    new, _ = version_of(tmp_path / "v2", modules, 2, soname=False)
    alone = benchctl.json("run", new, *FEW)

    assert [row["counters"]["version"] for row in alone["benchmarks"]] == [2]
    assert sorted(row["name"] for row in alone["module"]["libraries"]) == ["libbar.so.1", "libfoo.so.1", "libstate.so.1"]
    assert versions(benchctl.json("compare", old, new, *FEW)) == {"old": 1, "new": 2}


def test_a_library_of_another_soname_than_it_is_needed_by_is_loaded_once(benchctl, modules, tmp_path):
    """The loader takes a library by the name that it was loaded under and by its SONAME."""
    link(tmp_path / "libown.so", "static int n; int own(void) { return ++n; }", soname=False)
    other = link(tmp_path / "libother.so", "int own(void); int other(void) { return own(); }", "-L.", "-lown")
    uses = 'int own(void); int other(void); BENCH(x, .area = "a") { own(); bench_counter(b, "n", other()); bench_loop(b) bench_clobber(); }'
    module = modules(uses, f"-L{tmp_path}", "-lown", other, name="once")
    shutil.copy(module, tmp_path / "b.so")
    link(tmp_path / "libown.so", "static int n; int own(void) { return ++n; }", soname="libown.so.7")

    assert benchctl.json("run", tmp_path / "b.so", *FEW)["benchmarks"][0]["counters"] == {"n": 2}


def test_a_library_that_is_needed_by_its_path_is_the_one_that_with_names(benchctl, modules, tmp_path):
    library = link(tmp_path / "libpath.so", "int own(void) { return 7; }", soname=False)
    uses = 'int own(void); BENCH(x, .area = "a") { bench_counter(b, "own", own()); bench_loop(b) bench_clobber(); }'
    module = modules(uses, library, name="by-path")

    for words in ([], [f"--with={library}"]):
        result = benchctl.json("run", module, *FEW, *words)
        assert result["benchmarks"][0]["counters"] == {"own": 7}
        assert [row["name"] for row in result["module"]["libraries"]] == [str(library)]


def test_one_file_that_is_needed_under_two_names_is_refused(benchctl, modules, tmp_path):
    library = link(tmp_path / "libtwo.so", "int own(void) { return 7; }", soname=False)
    other = link(tmp_path / "libother.so", "int own(void); int other(void) { return own(); }", library)
    uses = 'int own(void); int other(void); BENCH(x, .area = "a") { bench_use(own() + other()); bench_loop(b) bench_clobber(); }'
    module = modules(uses, other, f"-L{tmp_path}", "-ltwo", name="two-names")
    shutil.copy(module, tmp_path / "b.so")

    done = benchctl("run", tmp_path / "b.so", *FEW, expect=BENCHMARK)
    assert "libtwo.so, whose file is also needed under another name" in done.stderr and "-soname" in done.stderr


def test_an_earlier_job_brings_its_own_version(benchctl, modules, tmp_path):
    old, _ = version_of(tmp_path / "v1", modules, 1)
    new, _ = version_of(tmp_path / "v2", modules, 2)
    job = benchctl.json("run", old, *FEW)
    shutil.rmtree(tmp_path / "v1")
    result = benchctl.json("compare", f"@{job['run_id']}", new, *FEW)

    assert versions(result) == {"old": 1, "new": 2}
    assert result["old_module"]["libraries"] == job["module"]["libraries"]
    names = [row["name"] for row in result["module"]["libraries"]]
    assert names == [row["name"] for row in job["module"]["libraries"]], "names are as the modules need them"


def test_one_module_is_compared_with_itself_over_two_versions_of_a_library(client, modules, tmp_path):
    """A stranger's client sends whatever it likes under a name."""
    _, old = version_of(tmp_path / "v1", modules, 1)
    _, new = version_of(tmp_path / "v2", modules, 2)
    uses = 'int foo(void); BENCH(x, .area = "a") { bench_counter(b, "foo", foo()); bench_loop(b) bench_use(foo()); }'
    module = modules(uses, f"-L{tmp_path}/v1", "-l:libfoo.so.1", "-Wl,-rpath-link," + f"{tmp_path}/v1", name="one-of-two")
    run = client.compare(module, module, new_libraries=new, old_libraries=old, processes=4, samples=12, min_time_ns=20000,
                         warmup_ns=2000000, seed=1)

    assert {row.side: row.counters[0].value for row in run.benchmarks.values()} == {"new": 2, "old": 1}


def test_a_version_of_ones_own_is_compared_with_the_system_s(benchctl, modules, tmp_path):
    """The one name is a file of the system for one module and a file that comes along for the other."""
    uses = """
#include <zlib.h>
BENCH(version, .area = "a") { bench_counter(b, "own", strcmp(zlibVersion(), "own") == 0); bench_loop(b) bench_use(zlibVersion()); }
"""
    library = link(tmp_path / "own/libz.so.1", 'const char *zlibVersion(void) { return "own"; }')
    with_own = modules(uses, str(library), "-Wl,-rpath=$ORIGIN", name="with-own")
    shutil.copy(with_own, tmp_path / "own/b.so")
    with_system = modules(uses, "-lz", name="with-system")

    for old, new, own in ((with_system, tmp_path / "own/b.so", "new"), (tmp_path / "own/b.so", with_system, "old")):
        result = benchctl.json("compare", old, new, *FEW)
        assert {row["side"]: row["counters"]["own"] for row in result["benchmarks"]} == {"old": own == "old", "new": own == "new"}


def test_a_library_of_the_system_that_needs_one_of_two_versions_has_each_side_s_own(benchctl, modules, tmp_path):
    system = next((path for path in ("/usr/lib/x86_64-linux-gnu/libpng16.so.16", "/usr/lib64/libpng16.so.16") if os.path.exists(path)), None)
    if not system:
        pytest.skip("no libpng16")
    real = os.path.realpath(system.replace("libpng16.so.16", "libz.so.1").replace("/usr/lib/", "/lib/"))
    uses = """
const char *png_get_libpng_ver(const void *); const char *zlibVersion(void);
BENCH(x, .area = "a") { bench_loop(b) { bench_use(png_get_libpng_ver(0)); bench_use(zlibVersion()); } }
"""
    sides = []
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
        library = tmp_path / name / "libz.so.1"
        library.write_bytes(open(real, "rb").read() + name.encode())  # what follows the sections is nobody's
        module = modules(uses, system, str(library), "-Wl,-rpath=$ORIGIN,--no-as-needed", name=f"png-{name}")
        shutil.copy(module, tmp_path / name / "b.so")
        sides.append(tmp_path / name / "b.so")

    for words in ([], [f"--with={system}"]):
        result = benchctl.json("compare", *sides, *FEW, *words)
        assert [row["failed"] for row in result["benchmarks"]] == [None, None]


CXX = """
#include <benchd/bench.h>
inline int shared = 0;
inline thread_local int of_thread = 0;
inline int &counted() { static int own = 100; return own; }
int library_seen();
BENCH(state, .area = "a") {
        library_seen();
        shared++;
        of_thread++;
        counted()++;
        bench_counter(b, "seen", shared + 10 * of_thread);
        bench_counter(b, "library", library_seen());
        bench_counter(b, "counted", counted());
        bench_loop(b) bench_clobber();
}
"""
CXX_LIBRARY = """
inline int shared = 0;
inline thread_local int of_thread = 0;
inline int &counted() { static int own = 100; return own; }
int library_seen() { shared++; of_thread++; counted()++; return shared + 10 * of_thread; }
"""


@pytest.mark.parametrize("flags", [[], ["-Wl,--hash-style=sysv"], ["-fuse-ld=lld"], ["-Wl,--default-symver"]], ids=["gnu", "sysv", "lld", "versioned"])
def test_the_inline_variables_of_a_library_are_its_side_s_own(benchctl, modules, tmp_path, flags):
    """g++ marks them unique: a process has one of each, unless the runner keeps them apart. A module and its library share theirs."""
    sides = []
    for name in ("v1", "v2"):
        (tmp_path / name).mkdir()
        source, library = tmp_path / name / "seen.cc", tmp_path / name / "libseen.so"
        source.write_text(CXX_LIBRARY + f"int {name};")
        subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", "-Wl,-soname,libseen.so", *flags, source, "-o", library], check=True)
        main = tmp_path / name / "state.cc"
        main.write_text(CXX)
        sides.append(tmp_path / name / "b.so")
        shutil.copy(modules(main, "-std=c++17", library, *flags, name=f"state-{name}"), sides[-1])
    alone, both = benchctl.json("run", sides[0], *FEW), benchctl.json("compare", *sides, *FEW)
    shared = {"seen": 22, "library": 33, "counted": 103}

    assert [row["counters"] for row in alone["benchmarks"]] == [shared]
    assert [row["counters"] for row in both["benchmarks"]] == 2 * [shared]


def test_two_libraries_of_one_name_are_refused(client, modules, tmp_path):
    one, other = (link(tmp_path / name / "libown.so", f"int own(void) {{ return {len(name)}; }}") for name in ("a", "bc"))
    module = modules('int own(void); BENCH(x) { bench_loop(b) bench_use(own()); }', one, name="two-of-a-name")

    with pytest.raises(Failed, match="two libraries came along as libown.so"):
        client.run(module, [one, other], processes=1)


def test_a_library_that_comes_along_stands_before_the_system_s_of_its_name(client, modules, tmp_path):
    """For all that need the name, as for a program with its directory in LD_LIBRARY_PATH."""
    uses_system = link(tmp_path / "libuser.so", "const char *zlibVersion(void); const char *user(void) { return zlibVersion(); }", "-l:libz.so.1")
    own = link(tmp_path / "own/libz.so.1", 'const char *zlibVersion(void) { return "own"; }')
    uses = """
const char *zlibVersion(void); const char *user(void);
BENCH(x) {
        bench_counter(b, "own", strcmp(zlibVersion(), "own") == 0 && strcmp(user(), "own") == 0);
        bench_loop(b) bench_use(zlibVersion());
}
"""
    module = modules(uses, uses_system, own, "-include", "string.h", name="taken")

    for order in [uses_system, own], [own, uses_system]:
        row, = client.run(module, order, processes=1).benchmarks.values()
        assert {counter.name: counter.value for counter in row.counters} == {"own": 1}


def test_a_library_that_cannot_be_loaded_is_told_of_in_the_loader_s_words(client, modules, tmp_path):
    library = link(tmp_path / "libbroken.so", "int nowhere(void); int own(void) { return nowhere(); }")
    module = modules('int own(void); BENCH(x) { bench_loop(b) bench_use(own()); }', library, "-Wl,--unresolved-symbols=ignore-all", name="broken")

    with pytest.raises(Failed, match="It cannot be loaded: libbroken.so: undefined symbol: nowhere"):
        client.run(module, [library], processes=1)

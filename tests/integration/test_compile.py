# SPDX-License-Identifier: GPL-3.0-or-later
"""Source code in the place of a module: compiled by the user's compiler, in the user's own cache, and then as any module."""

import json
import os
import re
import stat
import subprocess

import pytest

from support.benchctl import BENCHMARK, BRIEF, MACHINE, TIMEOUT_S, USAGE, Benchctl
from support.paths import open_directory

TOUCHES = "compile module-parts load"

USER = 4321
ROOT = """
#include <benchd/bench.h>
#include <math.h>
#include "own.h"
BENCH(OWN) { double x = 2; bench_loop(b) { bench_opaque(x); bench_use(sqrt(x)); } }
"""


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def typed(build, tmp_path, daemon):
    """Runs benchctl in a directory with a source and its header."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here/x.c").write_text(ROOT)
    (tmp_path / "here/own.h").write_text("#define OWN first\n")

    return Benchctl(build, cwd=tmp_path / "here", **dict.fromkeys(["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDLIBS"]),
                    BENCHD_SOCKET=daemon.socket, XDG_CACHE_HOME=tmp_path / "cache")


def names(done):
    return [row["name"] for row in json.loads(done.stdout)["benchmarks"]]


def test_a_source_is_measured_under_its_name(typed, tmp_path):
    done = typed("run", *BRIEF, "--format=json", "x.c")

    assert names(done) == ["first"] and json.loads(done.stdout)["module"]["name"] == "x.c"
    shown = done.stderr.splitlines()
    assert len(shown) == 1 and re.fullmatch(r"cc -O2 -g -shared -fPIC( -I\S+)? x\.c -lm -o \S+/cache/benchd/modules/x-[0-9a-f]{16}\.so", shown[0])
    assert stat.S_IMODE((tmp_path / "cache/benchd").stat().st_mode) == 0o700
    subprocess.run(shown[0], shell=True, check=True, cwd=tmp_path / "here")


def test_a_header_that_changed_counts(typed, tmp_path):
    assert names(typed("list", "--format=json", "x.c")) == ["first"]
    (tmp_path / "here/own.h").write_text("#define OWN second\n")
    assert names(typed("list", "--format=json", "x.c")) == ["second"]
    assert len(list((tmp_path / "cache/benchd/modules").iterdir())) == 1


def test_the_compiler_and_its_options_are_the_user_s(typed):
    assert names(typed("list", "--format=json", "x.c", CFLAGS="-include own.h -UOWN '-DOWN=third'")) == ["first"]
    done = typed("list", "x.c", CC="gcc -std=gnu11", CFLAGS="-O3 '-DTEXT=\"a b\"'", LDLIBS="-lm -lpthread")
    assert re.match(r"gcc -std=gnu11 -O2 -g -shared -fPIC( -I\S+)? -O3 '-DTEXT=\"a b\"' x\.c -lm -lpthread -o ", done.stderr)


@pytest.mark.parametrize("name", ["y.cc", "y.cpp", "y.cxx"])
def test_a_source_in_cxx_is_compiled_as_such(typed, tmp_path, name):
    (tmp_path / "here" / name).write_text('#include <benchd/bench.h>\n#include <vector>\n'
                                          'BENCH(fill) { bench_loop(b) { std::vector<int> v(10); bench_use(v); } }\n')
    assert names(typed("run", *BRIEF, "--format=json", name)) == ["fill"]


def test_words_of_the_compiler_stay_as_they_are(typed, tmp_path):
    (tmp_path / "here/bad.c").write_text("int x = ;\n")
    done = typed("run", "--separate", "x.c", "bad.c", expect=BENCHMARK)

    assert "bad.c:1:9: error: expected expression" in done.stderr and "benchctl: bad.c does not compile" in done.stderr
    assert done.stdout == "", "nothing is measured where something does not compile"
    assert [path.name[:2] for path in (tmp_path / "cache/benchd/modules").iterdir()] == ["x-"]


@pytest.mark.parametrize("code, said, more", [
    (MACHINE, "Cannot run the compiler /nosuch: No such file or directory.", {"CC": "/nosuch"}),
    (USAGE, "CC is not a list of words", {"CC": "gcc; true"}),
    (USAGE, "CFLAGS is not a list of words", {"CFLAGS": "'-DX"}),
    (MACHINE, "no directory of your own", {"XDG_CACHE_HOME": "/proc/1"}),
])
def test_what_cannot_be_compiled_says_why(typed, code, said, more):
    assert said in typed("list", "x.c", expect=code, **more).stderr


def test_two_versions_are_compared_by_the_names_of_their_benchmarks(typed, tmp_path):
    (tmp_path / "here/new.c").write_text(ROOT)
    module = tmp_path / "here/old.so"
    typed("list", "x.c")
    os.rename(next((tmp_path / "cache/benchd/modules").glob("x-*.so")), module)
    job = json.loads(typed("run", *BRIEF, "--format=json", "x.c").stdout)["run_id"]

    for old in "x.c", "old.so", f"@{job}":
        done = typed("compare", "--processes=4", *BRIEF[1:], "--format=json", old, "new.c")
        rows = json.loads(done.stdout)["comparisons"]
        assert [(row["area"], row["name"], row["old_area"]) for row in rows] == [("new", "first", "x")], old
    assert "new.c against x.c" in typed("compare", "--processes=4", *BRIEF[1:], "x.c#first", "new.c#first").stdout


def test_a_source_runs_in_this_process_too(typed):
    assert re.search(r"^x/first +[\d.]+ [pn]s an iteration", typed("run", "--here", "x.c").stdout, re.M)


@pytest.mark.parametrize("name, area", [("my file.c", "my_file"), ("it's \"so\".c", "it_s__so_"), ("has#hash.c", "has_hash"),
                                        ("+x.c", "+x"), ("$(touch harm).c", "__touch_harm_"), ("new\nline.c", "new_line")])
def test_a_file_has_any_name(typed, tmp_path, name, area):
    (tmp_path / "here" / name).write_text(ROOT)
    done = typed("list", "--format=json", name)

    assert names(done) == ["first"] and json.loads(done.stdout)["benchmarks"][0]["area"] == area
    assert not (tmp_path / "here/harm").exists()
    assert f"{area}/first" in typed("run", "--here", name).stdout
    assert f"{area}/first" in typed("disasm", name, "first").stdout


def test_a_compared_file_may_have_a_hash_in_its_name(typed, tmp_path):
    (tmp_path / "here/a#1.c").write_text(ROOT)
    brief = ["--processes=4", *BRIEF[1:], "--format=json"]

    assert len(json.loads(typed("compare", *brief, "a#1.c", "x.c").stdout)["comparisons"]) == 1
    assert len(json.loads(typed("compare", *brief, "a#1.c#first", "x.c#first").stdout)["comparisons"]) == 1


def test_run_here_tells_the_name_that_was_typed(typed):
    assert typed("run", "--here", "x.c").stdout.startswith("# x.c, in this process")
    assert "'benchctl run suites'" in typed("run", "--here", "strings", "--", "strlen").stdout
    assert "benchctl: No benchmark of x.c matches" in typed("run", "--here", "x.c", "--", "absent", expect=USAGE).stderr


def test_a_cache_that_cannot_be_written_is_no_fault_of_the_source(benchctl_for_all):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be somebody else")
    with open_directory() as home:
        (home / "x.c").write_text("int x;\n")
        (home / "benchd/modules").mkdir(parents=True)
        for path in home, home / "benchd", home / "benchd/modules":
            os.chown(path, USER, USER)
        (home / "benchd/modules").chmod(0o500)
        done = subprocess.run([benchctl_for_all, "list", "x.c"], cwd=home, user=USER, group=USER, extra_groups=[], capture_output=True, text=True,
                              timeout=TIMEOUT_S, env={"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(home)})
    assert done.returncode == MACHINE and "no directory of your own" in done.stderr and "does not compile" not in done.stderr


def test_a_compiled_module_is_one_whatever_its_name(typed, modules, tmp_path):
    os.link(modules("BENCH(mine) { bench_loop(b) bench_clobber(); }"), tmp_path / "here/odd.c")
    done = typed("list", "odd.c")
    assert "mine" in done.stdout and done.stderr == ""


# A benchmark whose body another file has, in each way that a file can come in.
CALLER = """
#include <benchd/bench.h>
#ifdef __cplusplus
extern "C"
#endif
int answer(int x);
BENCH(calls) { int x = 1; bench_loop(b) { x = answer(x); bench_opaque(x); } }
BENCH(other) { bench_loop(b) bench_clobber(); }
"""
ANSWER = "int answer(int x) { return 3 * x + 1; }\n"
ANSWER_CXX = '#include <string>\nextern "C" int answer(int x) { return int(std::to_string(x).size()); }\n'
ANSWER_ASSEMBLER = ".globl answer\n.type answer, @function\nanswer: leal 1(%rdi,%rdi,2), %eax\n ret\n.section .note.GNU-stack,\"\"\n"


@pytest.fixture
def parts(tmp_path):
    """Files of which any caller and any answer make a module, and some that do not."""
    here = tmp_path / "here"
    here.mkdir(exist_ok=True)
    for name, text in {"caller.c": CALLER, "caller.cc": CALLER, "answer.c": ANSWER, "answer.cc": ANSWER_CXX, "answer.s": ANSWER_ASSEMBLER,
                       "answer.S": ANSWER_ASSEMBLER, "bad.c": "int answer = ;\n", "twice.c": ANSWER}.items():
        (here / name).write_text(text)
    subprocess.run("gcc -O2 -fPIC -c answer.c -o answer.o && ar rcs libanswer.a answer.o && gcc -shared answer.o -o libanswer.so",
                   shell=True, check=True, cwd=here)
    return here


def kept_files(tmp_path):
    return sorted(re.sub("-[0-9a-f]{16}", "", path.name) for path in (tmp_path / "cache/benchd/modules").iterdir())


@pytest.mark.parametrize("words, linker", [
    (["caller.c", "answer.c"], "cc"), (["answer.c", "caller.c"], "cc"), (["caller.c", "answer.cc"], "c++"), (["caller.cc", "answer.c"], "c++"),
    (["caller.cc", "answer.cc"], "c++"), (["caller.c", "answer.s"], "cc"), (["caller.c", "answer.S"], "cc"), (["caller.c", "answer.o"], "cc"),
    (["caller.c", "libanswer.a"], "cc"), (["libanswer.a", "caller.c"], "cc"), (["caller.c,answer.c"], "cc"), (["caller.c,answer.c", "x.c"], "cc"),
])
def test_several_files_are_one_module(typed, parts, tmp_path, words, linker):
    done = typed("run", *BRIEF, "--format=json", *words, "--", "calls")

    assert names(done) == ["calls"], "what stands behind -- is a filter"
    assert json.loads(done.stdout)["module"]["name"] == ",".join(words)
    *compiled, linked = done.stderr.splitlines()[:-1] if "process" in done.stderr.splitlines()[-1] else done.stderr.splitlines()
    assert linked.startswith(f"{linker} -O2 -g -shared -fPIC") and all(" -c " in line for line in compiled)
    assert [re.sub(r"\..*", "", name) for name in kept_files(tmp_path)] == [re.sub(r"\..*", "", words[0])], "no object is left"


def test_a_module_of_several_files_is_taken_wherever_one_file_is(typed, parts):
    assert "calls" in typed("list", "caller.c", "answer.c").stdout
    assert "caller/calls" in typed("run", "--here", "caller.c", "answer.c").stdout
    for words in ["caller.c", "answer.c"], ["caller.c,answer.c"]:
        assert "BENCH(calls)" in typed("source", *words, "calls").stdout
        assert "call" in typed("disasm", *words, "calls").stdout
        assert re.search(r"run --here \S+/caller-\w+\.so -- calls", typed("debug", *words, "calls", BENCHCTL_DEBUGGER="echo").stdout)
        assert "benchctl run caller.c answer.c -- calls" in typed("edit", *words, "calls", EDITOR="true").stderr
    assert "Name one" in typed("source", "caller.c", "answer.c", expect=USAGE).stderr

    brief = ["--processes=4", *BRIEF[1:], "--format=json"]
    for old, new in ("caller.c,answer.c", "caller.c,answer.cc"), ("caller.c,answer.c#calls", "caller.cc,answer.o#calls"):
        result = json.loads(typed("compare", *brief, old, new, "--", "calls").stdout)
        assert [row["name"] for row in result["comparisons"]] == ["calls"]
        assert [result["old_module"]["name"], result["module"]["name"]] == [word.partition("#")[0] for word in (old, new)]


def test_the_file_at_fault_is_named(typed, parts, tmp_path):
    done = typed("run", "caller.c", "bad.c", "answer.cc", expect=BENCHMARK)
    assert "bad.c:1:14: error" in done.stderr and done.stderr.splitlines()[-1] == "benchctl: bad.c does not compile: the lines above are the compiler's."

    done = typed("run", "caller.c", "answer.c", "twice.c", expect=BENCHMARK)
    assert re.search(r"twice\.c:1: multiple definition of .answer.", done.stderr)
    assert "benchctl: caller.c,answer.c,twice.c do not link to one module" in done.stderr and "--separate" in done.stderr

    assert "Cannot read absent.c" in typed("run", "caller.c", "absent.c", expect=USAGE).stderr
    assert "Cannot read absent.o" in typed("compare", "caller.c,absent.o", "caller.c", expect=USAGE).stderr
    assert "LDLIBS" in typed("run", "caller.c,libanswer.so", expect=USAGE).stderr
    assert kept_files(tmp_path) == []


@pytest.mark.parametrize("verb", [["run", *BRIEF], ["list"], ["compare", "caller.c"]])
def test_a_symbol_that_no_file_defines_is_told_with_the_ways_out(typed, parts, verb):
    told = typed(*verb, "caller.c", expect=BENCHMARK).stderr
    assert "undefined symbol: answer" in told and "benchctl run bench.c impl.c" in told and "LDLIBS=-lNAME" in told
    assert "calls" in typed("list", "caller.c", LDLIBS="./libanswer.so -Wl,-rpath,.").stdout


def test_each_source_is_a_module_where_that_is_asked_for(typed, parts):
    results = json.loads(typed("run", *BRIEF, "--separate", "--format=json", "caller.c,answer.c", "x.c", "--", "first", "other").stdout)

    assert [(result["module"]["name"], [row["name"] for row in result["benchmarks"]]) for result in results] == [
        ("caller.c,answer.c", ["other"]), ("x.c", ["first"])]


def test_sources_with_one_benchmark_in_common_are_told_how_to_be_apart(typed, parts):
    for directory in "v1", "v2":
        (parts / directory).mkdir()
        (parts / directory / "b.c").write_text("#include <benchd/bench.h>\nBENCH(one) { bench_loop(b) bench_clobber(); }\n")
    assert re.search(r"is there twice, by v1/b.c:2 and v2/b.c:2.*--separate", typed("list", "v1/b.c", "v2/b.c", expect=BENCHMARK).stderr, re.S)
    assert typed("list", "--separate", "v1/b.c", "v2/b.c").stdout.count("one") == 2


def test_a_comma_may_be_in_the_name_of_a_file(typed, parts, tmp_path):
    (tmp_path / "here/a,b.c").write_text(ROOT)
    assert names(typed("list", "--format=json", "a,b.c")) == ["first"]
    done = typed("list", "--format=json", "a,b.c", "caller.c", "answer.c")
    assert sorted(names(done)) == ["calls", "first", "other"]


def test_many_files_have_a_name_that_fits(typed, parts, tmp_path):
    words = ["caller.c", "answer.c"]
    for i in range(20):
        words.append(f"part_with_a_long_name_{i}.c")
        (parts / words[-1]).write_text(f"int part_{i};\n")
    name = json.loads(typed("run", *BRIEF, "--format=json", *words).stdout)["module"]["name"]
    assert name.startswith("caller.c,answer.c,part") and name.endswith(",...") and len(name) <= 255


def test_modules_of_long_ago_are_removed(typed, tmp_path):
    typed("list", "x.c")
    module = next((tmp_path / "cache/benchd/modules").iterdir())
    os.utime(module, (0, 0))
    (tmp_path / "here/z.c").write_text(ROOT)
    typed("list", "z.c")
    assert [path.name[:2] for path in (tmp_path / "cache/benchd/modules").iterdir()] == ["z-"]

# SPDX-License-Identifier: GPL-3.0-or-later
"""compare --git and --build: commits, changes and builds of one module, each in a tree of its own, and nothing of the repository touched."""

import json
import os
import re
import shlex
import signal
import subprocess

import pytest

from support.benchctl import BENCHMARK, BRIEF, CANCELLED, MACHINE, USAGE, Benchctl
from support.paths import SOURCE
from support.processes import may_mount, NO_MOUNTS
from support.repository import ENVIRONMENT, Repository

TOUCHES = "client/ctl/ask/git/* compare-git compare-sides verb-compare client/ctl/base/child.*"

BENCH = """
#include <benchd/bench.h>
#include "count.h"
#ifndef FLAG
#define FLAG 1
#endif
BENCH(work) {
    bench_label(b, "%d", COUNT * FLAG);
    bench_loop(b) for (int i = 0; i < COUNT * FLAG; i++) bench_opaque(i);
}
"""
MAKEFILE = f"CPPFLAGS = -I{SOURCE}/include\nbench.so: bench.c count.h\n\t$(CC) $(CPPFLAGS) $(CFLAGS) -O2 -g -shared -fPIC -o $@ bench.c\n"
WITH_LIBRARY = f"""bench.so: bench.c count.h libcount.so
	$(CC) -I{SOURCE}/include -O2 -g -shared -fPIC -o $@ bench.c -L. -lcount -Wl,-rpath,$$PWD
libcount.so: lib.c
	$(CC) -shared -fPIC -o $@ lib.c
"""
BUILD = "--build=make bench.so"


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def repository(tmp_path):
    repository = Repository(tmp_path / "work")
    repository.ids = [repository.commit("first", Makefile=MAKEFILE, bench__c=BENCH, count__h="#define COUNT 100\n", __gitignore="*.so\n"),
                      repository.commit("twice the work", count__h="#define COUNT 200\n")]
    return repository


@pytest.fixture
def typed(build, tmp_path, daemon, repository):
    return Benchctl(build, cwd=repository.path, **ENVIRONMENT, **dict.fromkeys(["CC", "CFLAGS", "LDLIBS", "BENCHD_COMMIT"]), BENCHD_SOCKET=daemon.socket,
                    XDG_CACHE_HOME=tmp_path / "cache")


def sides(done):
    """The numbers that the code of both sides has, the old one's first: which code was measured."""
    result = json.loads(done.stdout) if hasattr(done, "stdout") else done
    assert result["comparisons"][0]["ratio"]["point"] is not None
    labels = {row["side"]: int(row["label"]) for row in result["benchmarks"] if row["name"] == "work"}
    return labels["old"], labels["new"]


def trees(tmp_path):
    return sorted(path for path in (tmp_path / "cache/benchd/git").glob("*/tree"))


def test_two_commits_of_a_source_are_compared_and_nothing_is_touched(typed, repository, tmp_path):
    repository.git("status")
    before = repository.everything()
    done = typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", "bench.c")
    result = json.loads(done.stdout)
    assert sides(result) == (100, 200)
    assert [result[side]["commit"]["id"] for side in ("old_module", "module")] == repository.ids
    assert [result[side]["name"] for side in ("old_module", "module")] == ["bench.c", "bench.c"]
    assert repository.everything() == before

    old, new = (id[:12] for id in repository.ids)
    assert f"# bench.c at {new} against bench.c at {old}: " in typed("show", result["run_id"]).stdout
    markdown = typed("show", result["run_id"], "--format=markdown").stdout
    assert markdown.startswith(f"### bench.c at {new} against bench.c at {old}\n")
    assert f"<title>bench.c at {new} against {old}" in typed("show", result["run_id"], "--format=html").stdout


def test_a_build_runs_once_for_a_commit_in_the_directory_that_corresponds(typed, repository, tmp_path):
    (repository.path / "inner").mkdir()
    for name in ("Makefile", "bench.c", "count.h"):
        repository.git("mv", name, f"inner/{name}")
    base = repository.commit("moved")
    repository.commit("half", **{"inner/count__h": "#define COUNT 100\n"})
    inner = repository.path / "inner"
    before = repository.everything()
    done = typed("compare", *BRIEF, "--format=json", f"--git={base}..main", BUILD, "bench.so", cwd=inner)
    assert sides(done) == (200, 100)
    assert len(re.findall(r"^Building \w{12}: make bench.so$", done.stderr, re.M)) == 2
    again = typed("compare", *BRIEF, "--format=json", f"--git={base}", BUILD, "../inner/bench.so", cwd=inner)
    assert "Building" not in again.stderr and sides(again) == (200, 100)
    assert repository.everything() == before
    assert "has no directory inner/" in typed("compare", "--git=main~3..main", BUILD, "bench.so", cwd=inner, expect=BENCHMARK).stderr


def test_changes_that_are_not_committed_are_compared_by_two_dots_alone(typed, repository, tmp_path):
    assert "the working tree has no changes" in typed("compare", "--git=HEAD..", "bench.c", expect=USAGE).stderr
    assert "names one commit" in typed("compare", "--git=HEAD", "bench.c", expect=USAGE).stderr
    repository.write(count__h='#include "more.h"\n', more__h="#define COUNT 400\n")
    before = repository.everything()
    done = typed("compare", *BRIEF, "--format=json", "--git=HEAD..", "bench.c")
    result = json.loads(done.stdout)
    assert sides(result) == (200, 400)
    assert [(result[side]["commit"]["id"], result[side]["commit"]["dirty"]) for side in ("old_module", "module")] == [(repository.ids[1], False), (repository.ids[1], True)]
    done = typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", "bench.c")
    assert sides(done) == (100, 200) and "not committed are left out; --git=HEAD~1.. compares" in done.stderr
    assert repository.everything() == before
    assert len(trees(tmp_path)) == 2, "the state of a working tree is not kept"


def test_several_builds_of_one_tree_are_each_compared_with_the_first(typed, repository, tmp_path):
    builds = [f"--build=make CFLAGS=-DFLAG={flag} bench.so" for flag in (1, 2, 4)]
    results = json.loads(typed("compare", *BRIEF, "--format=json", *builds, "bench.so").stdout)
    assert [result["module"]["name"] for result in results] == [f"bench.so (make CFLAGS=-DFLAG={flag} bench.so)" for flag in (2, 4)]
    assert {result["old_module"]["name"] for result in results} == {"bench.so (make CFLAGS=-DFLAG=1 bench.so)"}
    assert [sides(result) for result in results] == [(200, 400), (200, 800)]
    assert {result["module"]["commit"]["id"] for result in results} == {repository.ids[1]}
    results = json.loads(typed("compare", *BRIEF, "--format=json", "--git=main~1", *builds, "bench.so").stdout)
    assert {result["module"]["commit"]["id"] for result in results} == {repository.ids[0]} and sides(results[0]) == (100, 200)
    assert "not of the range main~1..main" in typed("compare", "--git=main~1..main", *builds, "bench.so", expect=USAGE).stderr
    assert "compares with nothing" in typed("compare", builds[0], "bench.so", expect=USAGE).stderr


def test_several_machines_get_the_builds_of_one(build, typed, tmp_path):
    script = tmp_path / "rsh"
    script.write_text(f'#!/bin/sh\nshift\nexport PATH={shlex.quote(str(build / "client/ctl"))}:$PATH\nexec sh -c "$*"\n')
    script.chmod(0o755)
    builds = [f"--build=make CFLAGS=-DFLAG={flag} bench.so" for flag in (1, 2, 4)]
    documents = json.loads(typed("compare", *BRIEF, "--format=json", "--private", "--host=a,b", f"--rsh={shlex.quote(str(script))}", *builds, "bench.so").stdout)
    for document, flag in zip(documents, (2, 4), strict=True):
        assert [sides(machine["result"]) for machine in document["fleet"]["machines"]] == [(200, 200 * flag)] * 2


def test_three_dots_compare_with_the_commit_where_lines_parted(typed, repository):
    repository.git("checkout", "-q", "-b", "side", "main~1")
    repository.commit("aside", count__h="#define COUNT 300\n")
    done = typed("compare", *BRIEF, "--format=json", "--git=main", "bench.c")
    assert "main has commits that HEAD has not; --git=main...HEAD compares" in done.stderr
    assert sides(done) == (200, 300)
    done = typed("compare", *BRIEF, "--format=json", "--git=main...", "bench.c")
    assert "Note" not in done.stderr and sides(done) == (100, 300)
    repository.git("checkout", "-q", "--orphan", "apart")
    repository.commit("apart")
    assert "main and HEAD have no commit in common" in typed("compare", "--git=main...", "bench.c", expect=USAGE).stderr


def test_a_merge_is_a_commit_as_any(typed, repository):
    repository.git("checkout", "-q", "-b", "side", "main~1")
    repository.commit("aside", other="x\n")
    repository.git("merge", "-q", "--no-ff", "-m", "merged", "main")
    result = json.loads(typed("compare", *BRIEF, "--format=json", "--git=HEAD^1", "bench.c").stdout)
    assert result["module"]["commit"]["subject"] == "merged" and sides(result) == (100, 200)


def test_submodules_are_those_of_the_commit(typed, repository, tmp_path):
    inner = Repository(tmp_path / "inner")
    inner.commit("first", amount__h="#define COUNT 100\n")
    repository.git("submodule", "--quiet", "add", inner.path, "deep")
    repository.commit("submodule", count__h='#include "deep/amount.h"\n')
    (repository.path / "deep/amount.h").write_text("#define COUNT 300\n")
    subprocess.run(["git", "commit", "-qam", "three"], cwd=repository.path / "deep", check=True, env={**os.environ, **ENVIRONMENT})
    repository.commit("newer submodule")
    before = repository.everything()
    assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", "bench.c")) == (100, 300)
    assert repository.everything() == before


def test_a_shallow_clone_compares_what_it_has_and_says_how_to_get_more(typed, repository, tmp_path):
    subprocess.run(["git", "clone", "-q", "--depth=2", f"file://{repository.path}", tmp_path / "shallow"], check=True, env={**os.environ, **ENVIRONMENT})
    shallow = tmp_path / "shallow"
    assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", "bench.c", cwd=shallow)) == (100, 200)
    failed = typed("compare", "--git=HEAD~2", "bench.c", cwd=shallow, expect=USAGE).stderr
    assert "HEAD~2 is no commit" in failed and "fetch-depth: 0" in failed


@pytest.mark.parametrize("words, code, said", [
    (["--git=nothing", "bench.c"], USAGE, r"nothing is no commit of \S+/work\.\n.*git fetch"),
    (["--git=HEAD~1", "@1234"], USAGE, "names no file that a commit could have"),
    (["--git=HEAD~1", "--commit=HEAD", "bench.c"], USAGE, "which know the commits"),
    (["--git=HEAD~1", "--bisect", "bench.c"], 128, "checks out the commits"),
    (["bench.c"], USAGE, "takes two modules: benchctl compare OLD NEW"),
    (["--git=HEAD~1", "/tmp/x.so"], USAGE, "is not in the repository"),
    (["--git=HEAD~1", "missing.c"], BENCHMARK, r"This commit has no missing\.c"),
    (["--git=HEAD~1", "bench.so"], BENCHMARK, r"This commit has no bench\.so.\n +If a build makes it: --build=COMMAND"),
    (["--git=HEAD~1", "--build=echo words; exit 7", "bench.so"], BENCHMARK, r"The build of \w{12} failed with exit code 7\.\n +\| words\n +All of its output: \S+/log\n"),
    (["--git=HEAD~1", "--build=:", "bench.so"], BENCHMARK, r"The build made no bench\.so\.\n +It ran in "),
    (["--git=HEAD~1", "--build=touch ../bench.so", "bench.so"], BENCHMARK, r"The build made no bench\.so\."),
    (["--git=HEAD~1", "--build=echo x >bench.so", "bench.so"], BENCHMARK, "bench.so"),
])
def test_bad_input_is_told_in_words(typed, repository, words, code, said):
    before = repository.everything()
    done = typed("compare", *BRIEF, *words, expect=code)
    assert re.search(said, done.stderr), done.stderr
    assert repository.everything() == before


def test_a_command_that_names_the_working_tree_is_not_run_by_whatever_name(typed, repository, tmp_path):
    (tmp_path / "link").symlink_to(repository.path)
    for path in (repository.path, tmp_path / "link"):
        done = typed("compare", "--git=HEAD~1", f"--build=make -C {path} bench.so", "bench.so", expect=USAGE, cwd=path, PWD=path)
        assert "--build names" in done.stderr and not (repository.path / "bench.so").exists()
    assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", tmp_path / "link/bench.c", cwd=tmp_path / "link", PWD=tmp_path / "link")) == (100, 200)


def test_a_tree_keeps_the_libraries_that_its_module_needs(typed, repository):
    """Each side has the library of its own commit, though both are at the same place of their trees, found by an absolute path."""
    repository.commit("library", Makefile=WITH_LIBRARY, count__h="int count(void);\n#define COUNT count()\n", lib__c="int count(void) { return 7; }\n")
    repository.commit("other library", lib__c="int count(void) { return 9; }\n")
    for _ in range(2):  # built, then kept
        assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", BUILD, "bench.so")) == (7, 9)


def test_names_with_spaces_and_quotes_are_as_good_as_others(typed, repository, tmp_path):
    place = tmp_path / "a 'work' \"tree\" $x;µ"
    repository.path.rename(place)
    repository.path = place
    (place / "in ner").mkdir()
    for name in ("Makefile", "bench.c", "count.h"):
        repository.git("mv", name, f"in ner/{name}")
    repository.commit("moved")
    repository.commit("more", **{"in ner/count__h": "#define COUNT 300\n"})
    assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", "in ner/bench.c", cwd=place)) == (200, 300)
    assert sides(typed("compare", *BRIEF, "--format=json", "--git=HEAD~1", BUILD, "bench.so", cwd=place / "in ner")) == (200, 300)


def test_without_git_or_a_repository_both_are_named(typed, tmp_path):
    assert "The program git was not found on the PATH." in typed("compare", "--git=HEAD~1", "bench.c", expect=MACHINE, PATH="/nowhere").stderr
    outside = typed("compare", "--git=HEAD~1", "bench.c", expect=USAGE, cwd=tmp_path, GIT_CEILING_DIRECTORIES=tmp_path.parent).stderr
    assert "not in a git repository that can be used (fatal: not a git repository" in outside


def test_a_benchmark_of_one_side_alone_is_listed_and_none_of_both_is_an_error(typed, repository):
    repository.commit("renamed", bench__c=BENCH.replace("BENCH(work)", "BENCH(other)"))
    repository.commit("both", bench__c=BENCH + "BENCH(other) { bench_loop(b) bench_opaque(b); }\n")
    result = json.loads(typed("compare", *BRIEF, "--format=json", "--git=HEAD~2", "bench.c").stdout)
    assert result["only_new"] == ["bench/other"] and [row["name"] for row in result["comparisons"]] == ["work"]
    done = typed("compare", *BRIEF, "--git=HEAD~2..HEAD~1", "bench.c", expect=USAGE)
    assert "benchctl: " in done.stderr and "work" in done.stderr


@pytest.mark.skipif(not may_mount(), reason=NO_MOUNTS)
def test_a_full_disk_is_told_and_leaves_no_part_of_a_tree(typed, repository, tmp_path):
    """The files of the first commit fit, those of the second do not."""
    repository.commit("large", large="x" * 4000 * 1000)
    repository.commit("small again", large="x")
    (tmp_path / "cache").mkdir(exist_ok=True)
    small = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs -o size=3m none {tmp_path}/cache && "$@"; code=$?; find {tmp_path}/cache/benchd/git -name tree; exit $code', "sh"]
    done = typed("compare", "--git=HEAD~2..HEAD~1", "bench.c", expect=MACHINE, before=small)
    assert re.search(r"git failed: .*large\n +The disk of \S+ is full\. .*XDG_CACHE_HOME", done.stderr), done.stderr
    assert len(done.stdout.splitlines()) == 1, "that of the commit that fits"
    done = typed("compare", "--git=HEAD~2", "--build=head -c 4000000 /dev/zero >x", "bench.so", expect=MACHINE, before=small)
    assert re.search(r"The build of \w{12} failed.*The disk of \S+ is full", done.stderr, re.S) and not done.stdout, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("step", ["checkout", "build"])
def test_an_interrupt_ends_each_step_and_leaves_no_tree_and_no_lock(typed, repository, tmp_path, number, step):
    held = tmp_path / "held"
    os.mkfifo(held)
    command = f"--build=trap '' TERM INT; cat <{held} & wait"
    if step == "checkout":
        repository.git("config", "filter.slow.smudge", f"cat {held}")
        repository.commit("filtered", **{"__gitattributes": "*.h filter=slow\n"})
        repository.commit("head")
    benchctl = subprocess.Popen(typed.command("compare", "--git=HEAD~1", command, "bench.so"), cwd=repository.path, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **ENVIRONMENT, "XDG_CACHE_HOME": str(tmp_path / "cache")})
    writer = os.open(held, os.O_WRONLY)  # waits for the build
    benchctl.send_signal(number)
    said = benchctl.communicate(timeout=60)[1]
    assert benchctl.returncode == CANCELLED, said
    with pytest.raises(BrokenPipeError):  # its process is no more
        os.write(writer, b"x")
    os.close(writer)
    assert not trees(tmp_path) and not list((tmp_path / "cache/benchd/git").iterdir())
    assert not list((repository.path / ".git").glob("**/*.lock"))


def test_explain_compares_the_machine_code_of_both_commits(typed):
    shown = typed("compare", *BRIEF, "--explain", "--git=HEAD~1", "bench.c").stdout
    assert "the timed loops" in shown and "0x63" in shown and "0xc7" in shown, shown

# SPDX-License-Identifier: GPL-3.0-or-later
"""benchctl bisect: the commit of a repository that changed a time is found among neutral and broken ones, whatever interrupts the search."""

import json
import os
import re
import signal
import subprocess

import pytest

from support import schemas
from support.benchctl import DONE, Benchctl
from support.daemon import Daemon
from support.paths import SOURCE
from support.repository import Repository

TOUCHES = "bisect* bisection* range.* answer.* steps.* search.* measure.* module-code.* state.* report-bisect verb-bisect"

# The body tells its own time, so that no verdict depends on this machine. What is called @other makes other machine code of the same time.
BENCH = """#include <benchd/bench.h>
BENCH(step, .area = "work") {{ bench_loop(b) bench_manual_ns(b, {ns}); }}
int other = {other};
"""
TWO = BENCH + 'BENCH(second, .area = "work") {{ bench_loop(b) bench_manual_ns(b, 10); }}\n'
ELSEWHERE = BENCH.replace("step", "elsewhere")
MAKEFILE = f"bench.so: bench.c\n\tcc -O2 -shared -fPIC -I{SOURCE}/include bench.c -o bench.so\n"
FEW = ["--prepare=none", "--samples=5", "--min-time=0.01", "--warmup=1"]
UNRESOLVED, BENCHMARK, USAGE, CANCELLED = 7, 3, 2, 130


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


@pytest.fixture
def benchctl(build, daemon, repository, tmp_path):
    """With notes and trees of its own, so that no search knows those of another test."""
    return Benchctl(build, f"--socket={daemon.socket}", *FEW, cwd=repository.path, XDG_STATE_HOME=tmp_path / "state", XDG_CACHE_HOME=tmp_path / "cache")


def fill(repository, texts):
    return [repository.commit(f"commit {i}", bench__c=text) for i, text in enumerate(texts)]


def rising(n, culprit, broken=(), ns=(100, 150)):
    """Texts of @n commits, each with machine code of its own, which take longer from @culprit on."""
    return ["#error no\n" if i in broken else BENCH.format(ns=ns[i >= culprit], other=i) for i in range(n)]


def notes(tmp_path):
    return list((tmp_path / "state/benchd/bisect").iterdir())


def test_the_commit_is_found_with_its_change_and_its_chance(benchctl, repository, tmp_path):
    commits = fill(repository, rising(14, 9, broken=(3, 7)))
    done = benchctl("bisect", commits[0], "HEAD", "bench.c")
    lines = done.stdout.splitlines()
    assert lines[0] == f"{commits[9][:12]}  commit 9"
    assert re.fullmatch(r"  changed it with a probability of over 99\.9 %: (49\.\d\d|50\.\d\d) % slower \(.* % to .* %\)\.", lines[1])
    assert re.fullmatch(r"13 commits, \d+ builds( \(\d broken\))? between the ends, \d+ processes; .*", lines[2])
    assert all(len(line) <= 80 for line in done.stderr.splitlines())
    steps = re.findall(r"^([0-9a-f]{12})  commit \d+ .* (\d+)$", done.stderr, re.M)
    assert steps[0] == (commits[13][:12], "13") and steps[-1][1] == "1" and 4 <= len(steps) <= 8, done.stderr
    assert notes(tmp_path) == [], "the search is over, so the next one begins anew"


def test_a_program_reads_it_all_as_json(benchctl, repository):
    commits = fill(repository, rising(10, 4, broken=(5,), ns=(100, 60)))
    answer = benchctl.json("bisect", commits[0], "HEAD", "bench.c", "--quiet")
    schemas.validator("answers", "bisect").validate(answer)
    best = answer["candidates"][0]
    assert answer["end"] == "found" and best["commit"] == commits[4] and best["probability"] > 0.99 and best["not_told_from"] == []
    assert answer["change"]["low"] < 0.6 < answer["change"]["high"] and answer["benchmark"] == "work/step"
    assert answer["good"]["commit"] == commits[0] and answer["bad"]["commit"] == commits[9] and answer["commits"] == 9
    assert answer["processes"] == sum(max(step["processes"] for step in answer["steps"] if step["commit"] == commit)
                                      for commit in {step["commit"] for step in answer["steps"]})


def test_commits_with_the_same_machine_code_are_not_measured(benchctl, repository):
    texts = [BENCH.format(ns=100, other=0)] * 6 + [BENCH.format(ns=150, other=0)] * 6
    commits = [repository.commit(f"commit {i}", bench__c=text, note__txt=str(i)) for i, text in enumerate(texts)]
    answer = benchctl.json("bisect", commits[0], "HEAD", "bench.c")
    assert answer["candidates"][0]["commit"] == commits[6] and answer["end"] == "found"
    assert [step["outcome"] for step in answer["steps"]][1:] == ["same-code"] * (len(answer["steps"]) - 1)
    assert {step["processes"] for step in answer["steps"][1:]} == {0} and answer["processes"] == 12


def test_a_build_command_makes_the_module_and_nothing_of_the_tree_is_touched(benchctl, repository):
    commits = [repository.commit(f"commit {i}", bench__c=text, Makefile=MAKEFILE) for i, text in enumerate(rising(8, 3))]
    (repository.path / "bench.c").write_text("not committed\n")
    (repository.path / "new.txt").write_text("unknown to git\n")
    before = repository.everything()
    done = benchctl("bisect", commits[0], "HEAD", "--build=make bench.so", "bench.so", "--", "work/step")
    assert done.stdout.startswith(commits[3][:12])
    assert repository.everything() == before


def test_commits_without_the_benchmark_tell_nothing_and_are_named(benchctl, repository):
    texts = rising(9, 5)
    texts[4] = texts[5] = ELSEWHERE.format(ns=1, other=4)
    commits = fill(repository, texts)
    answer = benchctl.json("bisect", commits[0], "HEAD", "bench.c", "--", "work/step", expect=UNRESOLVED)
    best = answer["candidates"][0]
    assert answer["end"] == "found" and best["commit"] == commits[6] and [other["commit"] for other in best["not_told_from"]] == commits[4:6]
    assert "do not build" in benchctl("bisect", commits[0], "HEAD", "bench.c", "--", "work/step", expect=UNRESOLVED).stdout


def test_nothing_but_broken_commits_leaves_all(benchctl, repository):
    commits = fill(repository, rising(6, 3, broken=(1, 2, 3, 4)))
    answer = benchctl.json("bisect", commits[0], "HEAD", "bench.c", expect=UNRESOLVED)
    assert [other["commit"] for other in answer["candidates"][0]["not_told_from"]] == commits[1:5] and answer["broken"] == 4


@pytest.mark.parametrize("moment", ["commit +subject", "commit 15 .*\n", r"(commit \d+ [^\n]*\n[^\n]*){2}"])
def test_an_interrupted_search_tells_what_it_knows_and_goes_on(benchctl, repository, tmp_path, moment):
    commits = fill(repository, rising(16, 11))
    words = ["bisect", commits[0], "HEAD", "bench.c"]
    process = subprocess.Popen(benchctl.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=repository.path,
                               env={**os.environ, **{name: str(value) for name, value in benchctl.options.items() if name.isupper()}})
    seen = ""
    while not re.search(moment, seen):
        line = process.stderr.readline()
        assert line, seen
        seen += line
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == CANCELLED, seen + stderr
    n_known = len(re.findall(r"commit \d+ ", seen + stderr))
    assert ("Interrupted" in stdout and "goes on from here" in stderr) == (n_known > 0), stdout + stderr
    assert len(notes(tmp_path)) == 1 and not repository.git("status", "--porcelain")
    again = benchctl(*words)
    assert again.stdout.startswith(commits[11][:12])
    assert (f"{n_known} known from before" in again.stderr) == (n_known > 0)
    assert notes(tmp_path) == []


def test_a_search_begins_anew_if_it_is_told_to_or_is_another(benchctl, repository, tmp_path):
    commits = fill(repository, rising(4, 2))
    (tmp_path / "state/benchd/bisect").mkdir(parents=True, mode=0o700)
    benchctl("bisect", commits[0], "HEAD", "bench.c", "--build=exit 1", expect=BENCHMARK)
    notes_of_first = notes(tmp_path)
    benchctl("bisect", commits[0], "HEAD", "bench.c")
    assert notes(tmp_path) == notes_of_first and len(notes_of_first) == 1
    note = {"kind": "look", "commit": commits[3], "n": 12, "mean": 0.4, "error": 0.0001, "freedom": 8, "build_s": 1, "look_s": 1}
    notes_of_first[0].write_text(json.dumps(note) + '\n{"kind": "look", "torn')
    assert "1 known from before" in benchctl("bisect", commits[0], "HEAD", "bench.c", "--build=exit 1", expect=BENCHMARK).stderr
    assert "known" not in benchctl("bisect", commits[0], "HEAD", "bench.c", "--build=exit 1", "--restart", expect=BENCHMARK).stderr


def test_ends_that_do_not_differ_are_said_with_what_could_be_seen(benchctl, repository):
    commits = fill(repository, [BENCH.format(ns=100, other=i) for i in range(4)])
    done = benchctl("bisect", commits[0], "HEAD", "bench.c", expect=UNRESOLVED)
    assert re.match(r"The ends do not differ: [+-]0\.\d\d %|The ends do not differ: 0\.00 %", done.stdout)
    assert "60 processes" in done.stdout and "0 builds" in done.stdout
    repository.commit("a note", note__txt="x")
    done = benchctl("bisect", commits[3], "HEAD", "bench.c", expect=UNRESOLVED)
    assert done.stdout.startswith("The ends do not differ: both have the same machine code.\n")


def test_a_merge_is_named_with_what_it_brought(benchctl, repository):
    first = repository.commit("begin", bench__c=BENCH.format(ns=100, other=0))
    repository.git("switch", "--quiet", "--create", "side")
    repository.commit("side 1", bench__c=BENCH.format(ns=100, other=1))
    tip = repository.commit("side 2", bench__c=BENCH.format(ns=150, other=2))
    repository.git("switch", "--quiet", "main")
    repository.commit("main 1", note__txt="1")
    repository.git("merge", "--quiet", "--no-ff", "--message=Merge side", "side")
    merge = repository.git("rev-parse", "HEAD")
    repository.commit("main 2", note__txt="2")
    done = benchctl("bisect", first, "HEAD", "bench.c")
    assert done.stdout.startswith(f"{merge[:12]}  Merge side\n")
    assert f"benchctl bisect {first[:12]} {tip[:12]} ..." in done.stdout
    assert benchctl("bisect", first, tip, "bench.c").stdout.startswith(tip[:12])
    assert "was merged into the line of first parents" in benchctl("bisect", f"{tip}~1", "HEAD", "bench.c").stderr


@pytest.mark.parametrize("words, code, says", [
    (["HEAD", "HEAD~2", "bench.c"], USAGE, "HEAD~2 is older than HEAD: the good commit comes first."),
    (["HEAD", "main", "bench.c"], USAGE, "are the same commit"),
    (["nonsense", "HEAD", "bench.c"], USAGE, "nonsense is no commit of"),
    (["other", "HEAD", "bench.c"], USAGE, "other is not an ancestor of HEAD"),
    (["HEAD~2", "HEAD", "/tmp/elsewhere.c"], USAGE, "is not in the repository"),
    (["HEAD~2", "HEAD", "two.c"], USAGE, "2 benchmarks match, and a search is for one."),
    (["HEAD~2", "HEAD", "none.c"], BENCHMARK, "This commit has no none.c."),
    (["HEAD~2", "HEAD", "bench.c", "--", "work/none"], BENCHMARK, "No benchmark of bench.c matches work/none."),
    (["HEAD~2", "HEAD", "--build=exit 3", "bench.so"], BENCHMARK, "failed with exit code 3"),
    (["HEAD~2", "HEAD", "--build=true", "bench.so"], BENCHMARK, "The build made no bench.so."),
    (["HEAD~2", "HEAD"], USAGE, "'bisect' takes two commits and a module"),
    (["HEAD~2", "HEAD", "bench.c", "--processes=5"], USAGE, "--processes is not an option of 'bisect'"),
])
def test_what_cannot_be_searched_is_refused_with_words(benchctl, repository, words, code, says):
    repository.commit("begin", y__txt="y")
    repository.git("switch", "--quiet", "--orphan", "other")
    repository.commit("another root", x__txt="x")
    repository.git("switch", "--quiet", "main")
    for i, text in enumerate(rising(3, 2)):
        repository.commit(f"commit {i}", bench__c=text, two__c=TWO.format(ns=(100, 150)[i == 2], other=i))
    assert says in benchctl("bisect", *words, expect=code).stderr


def test_a_shallow_clone_and_no_repository_say_what_lacks(benchctl, repository, tmp_path):
    commits = fill(repository, rising(4, 2))
    repository.git("clone", "--quiet", "--depth=2", f"file://{repository.path}", str(tmp_path / "shallow"))
    assert "The clone is shallow" in benchctl("bisect", commits[0], "HEAD", "bench.c", cwd=tmp_path / "shallow", expect=USAGE).stderr
    assert "is not in a git repository" in benchctl("bisect", commits[0], "HEAD", "bench.c", cwd=tmp_path, expect=USAGE).stderr


def test_a_search_that_cannot_keep_notes_says_so_and_goes_on(benchctl, repository):
    commits = fill(repository, rising(5, 2))
    done = benchctl("bisect", commits[0], "HEAD", "bench.c", XDG_STATE_HOME="/proc", expect=DONE)
    assert "The search cannot be continued if it is interrupted" in done.stderr and done.stdout.startswith(commits[2][:12])


def test_a_search_that_is_killed_or_loses_its_daemon_goes_on(benchctl, repository, tmp_path, build):
    commits = fill(repository, rising(16, 6))
    words = ["bisect", commits[0], "HEAD", "bench.c"]
    process = subprocess.Popen(benchctl.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=repository.path,
                               env={**os.environ, **{name: str(value) for name, value in benchctl.options.items() if name.isupper()}})
    while "commit 15" not in process.stderr.readline():
        assert process.poll() is None
    process.kill()
    process.wait()
    (tmp_path / "other").mkdir()
    with Daemon(build, tmp_path / "other", launch=["--no-probes"]) as other:
        line = f"--socket={other.socket}"
        process = subprocess.Popen([build / "client/ctl/benchctl", "bisect", line, *FEW, *words[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, cwd=repository.path,
                                   env={**os.environ, **{name: str(value) for name, value in benchctl.options.items() if name.isupper()}})
        seen = process.stderr.readline()
        assert "known from before" in seen
        while not re.search(r"commit (7|8) ", seen):
            seen += process.stderr.readline()
            assert process.poll() is None, seen
    seen += process.communicate(timeout=60)[1]
    assert process.returncode == 4 and "the same command goes on from there" in seen, seen
    assert benchctl(*words).stdout.startswith(commits[6][:12])


# ---- whole commands

@pytest.fixture
def of_commands(build, daemon, repository, tmp_path):
    return Benchctl(build, f"--socket={daemon.socket}", cwd=repository.path, XDG_STATE_HOME=tmp_path / "state", XDG_CACHE_HOME=tmp_path / "cache")


def test_a_command_that_waits_longer_is_found_where_each_commit_runs_it(of_commands, repository):
    scripts = ["sleep 0.01\n", "exit 3\n", "sleep 0.01 \n", "sleep 0.2\n", "sleep 0.2 \n"]
    commits = [repository.commit(f"commit {i}", work_sh=text) for i, text in enumerate(scripts)]
    answer = of_commands.json("bisect", commits[0], "HEAD", "--build=cp work.sh built", "--exec=sh ./built")
    assert answer["end"] == "found" and answer["candidates"][0]["commit"] == commits[3] and answer["change"]["point"] > 2
    assert answer["benchmark"] == "sh ./built" and {step["commit"] for step in answer["steps"] if step["outcome"] == "broken"} <= {commits[1]}


@pytest.mark.parametrize("words, says", [
    (["--exec=sh work.sh", "module.c"], "'bisect' takes two commits and a module, or --exec=COMMAND"),
    (["--exec={top}/work.sh"], "--exec names"),
    (["--exec=sh work.sh", "--build=true", "--build=false"], "A search takes one --build"),
    (["--exec=sh work.sh", "--host=elsewhere"], "--exec runs a command on this machine, and --host=elsewhere names another."),
])
def test_a_command_that_cannot_be_searched_by_is_refused(of_commands, repository, words, says):
    for i in range(3):
        repository.commit(f"commit {i}", work_sh=f"true {i}\n")
    words = [word.format(top=repository.path) for word in words]
    assert says in of_commands("bisect", "HEAD~2", "HEAD", *words, expect=USAGE).stderr

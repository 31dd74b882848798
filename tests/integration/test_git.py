# SPDX-License-Identifier: GPL-3.0-or-later
"""The commit of a module: told with its result, kept, and shown wherever the result is; and the order that commits give to a history."""

import csv
import io
import json

import pytest

from support.benchctl import BRIEF, USAGE, Benchctl
from support.repository import ENVIRONMENT, Repository

TOUCHES = "client/ctl/ask/git/* client/ctl/model/commit.* daemon/front/base/commit.* trend verb-history"

BENCH = """
#include <benchd/bench.h>
#include "count.h"
BENCH(work) { bench_loop(b) for (int i = 0; i < COUNT; i++) bench_opaque(i); }
"""


@pytest.fixture
def daemon(kept):
    with kept(launch=["--no-probes"]) as daemon:
        yield daemon


@pytest.fixture
def repository(tmp_path):
    repository = Repository(tmp_path / "work")
    repository.ids = [repository.commit("first", 1700000000, bench__c=BENCH, count__h="#define COUNT 100\n"),
                      repository.commit("second", 1700000100, count__h="#define COUNT 101\n"),
                      repository.commit("third: faster", 1700000200, count__h="#define COUNT 50\n")]
    return repository


@pytest.fixture
def typed(build, tmp_path, daemon, repository):
    return Benchctl(build, cwd=repository.path, **ENVIRONMENT, **dict.fromkeys(["CC", "CFLAGS", "LDLIBS", "BENCHD_COMMIT"]), BENCHD_SOCKET=daemon.socket,
                    XDG_CACHE_HOME=tmp_path / "cache", XDG_STATE_HOME=tmp_path / "state")


def commit_of(done, side="module"):
    return json.loads(done.stdout)[side]["commit"]


def test_a_compiled_source_tells_its_commit_everywhere(typed, repository, tmp_path):
    done = typed("run", *BRIEF, "--format=json", "bench.c")
    commit = {"id": repository.ids[2], "dirty": False, "subject": "third: faster", "committed_at": "2023-11-14T22:16:40.000Z"}
    assert commit_of(done) == commit
    job = json.loads(done.stdout)["run_id"]
    short = repository.ids[2][:12]

    assert commit_of(typed("show", job, "--format=json")) == commit
    assert typed("show", job).stdout.splitlines()[1].startswith(f"# bench.c at {short}: ")
    assert f"bench.c at {short}" in typed("show", job, "--format=markdown").stdout
    assert [row["commit"] for row in csv.DictReader(io.StringIO(typed("show", job, "--format=csv").stdout))][0] == repository.ids[2]
    page = typed("show", job, "--format=html").stdout
    assert f"{short} (third: faster)" in page
    (entry,) = json.loads(typed("history", "--format=json").stdout)["entries"]
    assert entry["commit"] == commit
    assert short in typed("history").stdout
    recalled = typed("compare", *BRIEF, "--format=json", f"@{job}", f"@{job}", BENCHD_COMMIT="other")
    assert commit_of(recalled) == commit_of(recalled, "old_module") == commit, "a module of an earlier job has that job's"

    typed("run", *BRIEF, "--quiet", f"--save-baseline={tmp_path / 'base.json'}", "bench.c")
    repository.write(count__h="#define COUNT 60\n")
    compared = typed("run", *BRIEF, f"--baseline={tmp_path / 'base.json'}", "bench.c").stdout
    assert f"bench.c at {short}-dirty against bench.c at {short}" in compared


def test_a_finished_module_has_the_commit_that_is_told(typed, repository, tmp_path):
    module = json.loads(typed("run", *BRIEF, "--format=json", "bench.c").stdout)["run_id"]
    finished = next((tmp_path / "cache/benchd/modules").iterdir())
    assert module and commit_of(typed("run", *BRIEF, "--format=json", finished)) is None
    assert commit_of(typed("run", *BRIEF, "--format=json", "--commit=HEAD~1", finished))["subject"] == "second"
    told = commit_of(typed("run", *BRIEF, "--format=json", finished, BENCHD_COMMIT="svn-r12-dirty"))
    assert told == {"id": "svn-r12", "dirty": True, "subject": None, "committed_at": None}
    assert "without spaces, not 'two words'" in typed("run", "--commit=two words", finished, expect=USAGE).stderr
    sides = typed("compare", *BRIEF, "--format=json", finished, "bench.c", BENCHD_COMMIT="told")
    assert commit_of(sides)["id"] == "told" and commit_of(sides, "old_module") is None, "what is told is of the new side"


def test_whole_commands_have_the_commit_that_is_told(typed):
    done = typed("exec", "--runs=3", "--format=json", "true", BENCHD_COMMIT="HEAD")
    assert commit_of(done)["subject"] == "third: faster"


def test_an_older_commit_that_is_measured_later_stands_at_its_place(typed, repository, tmp_path):
    for revision in ("main", "main~2", "main~1"):
        repository.git("checkout", "-q", revision)
        typed("run", *BRIEF, "--quiet", "bench.c")
    (row,) = json.loads(typed("history", "--format=json", "bench/work").stdout)["benchmarks"]
    assert row["ordered_by"] == "commit"
    assert [run["commit"]["id"] for run in row["runs"]] == repository.ids[::-1]
    assert "by the dates of their commits" in typed("history", "--format=html", "bench/work").stdout
    (tmp_path / "no-git").mkdir()
    for path in ("/usr/bin/as", "/usr/bin/ld"):
        (tmp_path / "no-git" / path.rsplit("/")[-1]).symlink_to(path)
    typed("run", *BRIEF, "--quiet", "bench.c", PATH=tmp_path / "no-git", CC="/usr/bin/cc")
    (row,) = json.loads(typed("history", "--format=json", "bench/work").stdout)["benchmarks"]
    assert row["ordered_by"] == "start" and [run["commit"] is None for run in row["runs"]] == [True, False, False, False]


def test_private_runs_have_their_commits_too(typed, repository):
    typed("run", *BRIEF, "--quiet", "--private", "bench.c")
    (entry,) = json.loads(typed("history", "--private", "--format=json").stdout)["entries"]
    assert entry["commit"]["id"] == repository.ids[2]

# SPDX-License-Identifier: GPL-3.0-or-later
"""examples/ci/gate: a repository is gated on compare, with both sides built from source, and the Markdown is what it posts."""

import os
import re
import subprocess

import pytest
import yaml

from support.paths import SOURCE

TOUCHES = "examples/ci/* show-markdown markdown"


# the body tells its own time, so that no verdict depends on this machine
BENCH = """#include <benchd/bench.h>
BENCH(step, .area = "work") { bench_loop(b) bench_manual_ns(b, NS); }
BENCH(other, .area = "work") { bench_loop(b) bench_manual_ns(b, 100); }
"""
MAKEFILE = f"bench.so: bench.c\n\tcc -O2 -shared -fPIC -I{SOURCE}/include $< -o $@\n"
FEW = ["--prepare=none", "--processes=4", "--samples=5", "--min-time=0.01", "--warmup=1"]


class Repository:
    def __init__(self, path, build, daemon):
        self.path, self.build, self.daemon = path, build, daemon
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *words):
        author = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
        return subprocess.run(["git", *author, *words], cwd=self.path, check=True, capture_output=True, text=True).stdout

    def commit(self, **files):
        for name, text in files.items():
            (self.path / name.replace("_", ".")).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=change")

    def gate(self, *words, expect, **more):
        environment = {**os.environ, "BENCHCTL": str(self.build / "client/ctl/benchctl"), "BENCH_BUILD": "make --always-make bench.so",
                       "BENCHD_SOCKET": str(self.daemon.socket), **more}
        done = subprocess.run([SOURCE / "examples/ci/gate", *words], cwd=self.path, capture_output=True, text=True, env=environment, timeout=120)
        assert done.returncode == expect, done.stdout + done.stderr
        assert self.git("worktree", "list").count("\n") == 1, "a work tree was left behind"
        return done.stdout


@pytest.fixture
def repository(build, daemon, tmp_path):
    (tmp_path / "repository").mkdir()
    repository = Repository(tmp_path / "repository", build, daemon)
    repository.commit(Makefile=MAKEFILE, bench_c=BENCH.replace("NS", "200"), _gitignore="*.so\n")
    repository.git("switch", "--quiet", "--create", "change")
    return repository


def test_a_slower_change_is_held_and_its_report_says_where(repository):
    repository.commit(bench_c=BENCH.replace("NS", "400"))
    report = repository.gate("main", *FEW, expect=1)
    assert report.startswith("### new.so against old.so\n") and "**1 slower** (work/step), 1 same." in report
    assert re.search(r"^\| work/step \| 200\.0 ns \| 400\.0 ns \| 2\.0+ \|.*\| 2\.0 × slower \|", report, re.M)
    assert report.endswith("which decides.\n") and "in 3 rounds over" in report
    assert "work/step" not in repository.gate("main", *FEW, "work/other", expect=0)


def test_what_the_base_got_meanwhile_is_not_held_against_the_change(repository):
    repository.git("switch", "--quiet", "main")
    repository.commit(bench_c=BENCH.replace("NS", "100"))
    repository.git("switch", "--quiet", "change")
    repository.commit(note_txt="nothing\n")
    assert "**" not in repository.gate("main", *FEW, expect=0).splitlines()[2], "no row is slower"


def test_the_first_benchmarks_pass_and_broken_ones_do_not(repository):
    repository.git("rm", "--quiet", "bench.c")
    repository.git("commit", "--quiet", "--message=none")
    repository.git("branch", "without")
    repository.commit(bench_c=BENCH.replace("NS", "200"))
    assert "nothing to compare with" in repository.gate("without", *FEW, expect=0)

    repository.commit(bench_c=BENCH.replace("bench_manual_ns(b, NS);", 'bench_fail(b, "broken");'))
    assert "broken" in repository.gate("main", *FEW, expect=3)
    repository.commit(bench_c="no C\n")
    repository.gate("main", *FEW, expect=2)
    repository.gate(expect=2)


def test_a_mistyped_module_does_not_pass(repository):
    environment = {**os.environ, "BENCHCTL": "/bin/false", "BENCH_MODULE": "missing.so"}
    done = subprocess.run([SOURCE / "examples/ci/gate", "main"], cwd=repository.path, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 2 and "BENCH_MODULE names the module" in done.stderr, done.stdout + done.stderr


# Answers as the words in FAKE say, in turn; notes how it was called.
FAKE = """#!/bin/sh
echo "$@" >> "$FAKE_CALLS"
n=$(wc -l < "$FAKE_CALLS")
for word in "$@"; do
        case $word in --output=*) [ "$n" -gt "${FAKE_REPORTS:-9}" ] || echo "report $n" > "${word#--output=}" ;; esac
done
exit "$(echo "$FAKE_ENDS" | cut -d' ' -f"$n")"
"""


@pytest.mark.parametrize("ends, more, expect, n, told", [
    ("0", {}, 0, 1, "report 1\n"),
    ("1 1", {}, 1, 2, "report 2\n"),
    ("1 0", {}, 0, 2, "report 2\n"),
    ("1 4", {"FAKE_REPORTS": "1"}, 4, 2, "report 1\n"),
    ("1", {"BENCH_AGAIN": ""}, 1, 1, "report 1\n"),
    ("3", {}, 3, 1, "report 1\n"),
])
def test_a_slower_row_is_measured_once_more_and_the_second_measurement_decides(repository, tmp_path, ends, more, expect, n, told):
    fake, calls = tmp_path / "fake", tmp_path / "calls"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    report = repository.gate("main", "--margin=2", "work/*", expect=expect, BENCHCTL=str(fake), FAKE_CALLS=str(calls), FAKE_ENDS=ends, **more)
    called = calls.read_text().splitlines()

    assert report.startswith(told) and len(called) == n
    assert [("--rounds=3" in call) for call in called] == [False, True][:n]
    assert all(call.endswith("--margin=2 work/*") for call in called)
    assert ("which decides" in report) == (n == 2 and "FAKE_REPORTS" not in more)


def test_a_source_is_compiled_by_benchctl_on_both_sides_and_linked_anew(repository, tmp_path):
    repository.commit(bench_c=BENCH.replace("NS", "400"))
    report = repository.gate("main", *FEW, expect=1, BENCH_MODULE="bench.c", BENCH_BUILD="", XDG_CACHE_HOME=str(tmp_path / "cache"))

    assert re.match(r"### new/bench\.c at \w+ against old/bench\.c at \w+\n", report) and "12 links of each, in 3 rounds" in report


def test_the_workflow_runs_the_gate(repository):
    workflow = yaml.safe_load((SOURCE / "examples/ci/benchmarks.yml").read_text())
    steps = workflow["jobs"]["gate"]["steps"]
    assert any(".ci/gate" in step.get("run", "") for step in steps)
    for step in steps:
        subprocess.run(["bash", "-n"], input=step.get("run", ""), text=True, check=True)

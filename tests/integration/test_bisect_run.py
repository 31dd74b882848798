# SPDX-License-Identifier: GPL-3.0-or-later
"""compare --bisect under git bisect run: the commit that is slower is found among those that do not tell, and no mistake is a bad commit."""

import subprocess

import pytest

from support.benchctl import Benchctl
from support.repository import Repository

TOUCHES = "fail-on verb-compare"

# the body tells its own time, so that no verdict depends on this machine
BENCH = """#include <benchd/bench.h>
BENCH(step, .area = "work") {{ bench_loop(b) bench_manual_ns(b, {ns}); }}
"""
OTHER = BENCH.replace("step", "other")
FEW = ["--prepare=none", "--processes=4", "--samples=5", "--min-time=0.01", "--warmup=1"]
GOOD, BAD, SKIP, STOP = 0, 1, 125, 128


@pytest.fixture
def benchctl(build, daemon, tmp_path):
    return Benchctl(build, f"--socket={daemon.socket}", cwd=tmp_path)


@pytest.fixture
def sources(tmp_path):
    for name, text in {"good": BENCH.format(ns=100), "same": BENCH.format(ns=100), "slow": BENCH.format(ns=150), "other": OTHER.format(ns=100),
                       "broken": "#error no\n"}.items():
        (tmp_path / f"{name}.c").write_text(text)


@pytest.mark.parametrize("bad", ["slower", "faster"])
def test_git_finds_the_commit_among_broken_ones_and_those_without_the_benchmark(benchctl, sources, tmp_path, bad):
    repository = Repository(tmp_path / "repository")
    before, after = (100, 150) if bad == "slower" else (100, 60)
    good = repository.commit("begin", bench__c=BENCH.format(ns=before))
    for i, text in enumerate([BENCH.format(ns=before), "#error no\n", BENCH.format(ns=before)]):
        repository.commit(f"good {i}", bench__c=text)
    wanted = repository.commit("the one", bench__c=BENCH.format(ns=after))
    for i, text in enumerate([BENCH.format(ns=after), OTHER.format(ns=after), "#error none\n", BENCH.format(ns=after), BENCH.format(ns=after)]):
        repository.commit(f"bad {i}", bench__c=text)
    repository.git("bisect", "start", "HEAD", good)
    (tmp_path / "good.c").write_text(BENCH.format(ns=before))
    found = repository.git("bisect", "run", *benchctl.command("compare", *FEW, f"--bisect={bad}", tmp_path / "good.c", "bench.c", "work/step"))
    assert f"{wanted} is the first bad commit" in found


@pytest.mark.parametrize("words, code", [
    (["good.c", "same.c"], GOOD),
    (["good.c", "slow.c"], BAD),
    (["--bisect=faster", "good.c", "slow.c"], GOOD),
    (["--bisect=faster", "slow.c", "good.c"], BAD),
    (["good.c", "broken.c"], SKIP),
    (["good.c", "missing.c"], SKIP),
    (["good.c", "other.c"], SKIP),
    (["good.c", "other.c", "work/step"], SKIP),
    (["broken.c", "good.c"], STOP),
    (["missing.c", "good.c"], STOP),
    (["good.c"], STOP),
    (["--bisect=better", "good.c", "slow.c"], STOP),
    (["--fail-on=slower", "good.c", "slow.c"], STOP),
    (["--detach", "good.c", "slow.c"], STOP),
    (["--nonsense", "good.c", "slow.c"], STOP),
    (["--socket=/nowhere/benchd.sock", "good.c", "slow.c"], STOP),
])
def test_each_outcome_has_the_code_that_git_expects(benchctl, sources, words, code):
    said = benchctl("compare", "--bisect", *FEW, *words, expect=code).stderr
    assert ("'git bisect run'" in said) == (code > BAD), said


def test_what_git_cannot_use_is_refused_elsewhere_too(benchctl):
    assert "--bisect is not an option of 'run'" in benchctl("run", "--bisect", expect=STOP).stderr

# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons in rounds, and those that are spread over time."""

import json
import re

import pytest

import benchd_pb2 as pb
from support.benchctl import USAGE, Benchctl
from support.client import FEW, Failed, comparisons
from support.tree import PASS

TOUCHES = "plan measurement paired-ratio comparison-report job job-measuring request standing follow verb-compare"

ROUNDS = dict(FEW, rounds=3)
LONG = dict(FEW, spread_ns=600_000_000_000)

TAKES = PASS + """
BENCH(takes, .area = "a") {{ bench_loop(b) simulated_pass({n}); }}
"""

# The time is the place of one function before or behind another one.
PLACED = """#include <benchd/bench.h>
#include <stdint.h>
""" + PASS + """
__attribute__((noinline)) static void first(void) { __asm__ volatile("# first"); }
__attribute__((noinline)) static void second(void) { __asm__ volatile("# second"); }
BENCH(placed) {
        uint64_t ns = (uintptr_t)first < (uintptr_t)second ? 1000000 : 2000000;
        first();
        second();
        bench_loop(b) simulated_pass(ns);
}
"""


@pytest.fixture
def pair(modules):
    return modules(TAKES.format(n=2000), name="long"), modules(TAKES.format(n=1000), name="short")


def test_the_ratio_of_rounds_is_over_rounds(simulated, pair):
    run = simulated.compare(*pair, **ROUNDS)
    row = comparisons(run)["a/takes"]

    assert row.verdict == pb.ComparisonResult.SLOWER and row.ratio.point == pytest.approx(2, rel=1e-6)
    assert row.rounds == 3 and row.processes == 12 and run.result.plan.rounds == 3 and run.result.plan.processes == 12
    assert not row.HasField("processes_needed") and not run.result.plan.looks
    assert any("same build in all rounds" in warning for warning in run.result.warnings)
    assert not any("took longer" in warning for warning in run.result.warnings)
    assert run.result.span_ns > 0


def test_a_run_without_rounds_says_nothing_of_them(simulated, pair):
    run = simulated.compare(*pair, **FEW)

    assert not run.result.plan.HasField("rounds") and not comparisons(run)["a/takes"].HasField("rounds")
    assert not any("rounds" in warning for warning in run.result.warnings)


@pytest.mark.parametrize("options", [dict(FEW, spread_ns=1_500_000_000), dict(ROUNDS, spread_ns=1_500_000_000)])
def test_a_comparison_is_spread_over_time_and_rests_between_its_parts(simulated, pair, options):
    run = simulated.compare(*pair, **options)

    assert run.result.span_ns >= 1_500_000_000 and run.result.plan.spread_ns == 1_500_000_000
    assert any(progress.stage == pb.Progress.RESTING and progress.HasField("rest_ns") for progress in run.progress)
    assert run.result.plan.expected_ns >= 1_500_000_000
    assert [progress.left_ns >= 1_500_000_000 for progress in run.progress if progress.stage == pb.Progress.QUEUED][0]
    assert comparisons(run)["a/takes"].verdict == pb.ComparisonResult.SLOWER


def rests(client, run_id):
    [queued] = [job for job in client.status().queue if job.run_id == run_id]
    return queued.standing.HasField("rest_ns")


def test_a_job_that_rests_leaves_the_machine_to_others_and_is_cancelled_with_what_it_has(simulated, simulated_daemon, pair):
    request = simulated.submit_compare(*pair, **dict(LONG, rounds=3), detach=True)
    run_id = simulated.collect(request).accepted.run_id
    with simulated_daemon.connect() as other:
        other.until(lambda: rests(other, run_id), "it rests")
        [entry] = [entry for entry in other.history() if entry.run_id == run_id]
        assert entry.state == pb.JOB_RUNNING and entry.standing.rest_ns > 0
        assert not any(lease.busy for lease in other.status().leases)

        assert comparisons(other.compare(*pair, **FEW))["a/takes"].processes == 4
        assert rests(other, run_id)
        assert other.cancel_job(run_id)
    run = simulated.show(run_id)
    assert run.result.cancelled and comparisons(run)["a/takes"].processes == 4


def test_a_client_that_waits_learns_that_the_job_rests(simulated, simulated_daemon, pair):
    run_id = simulated.collect(simulated.submit_compare(*pair, **LONG, detach=True)).accepted.run_id
    with simulated_daemon.connect() as other:
        other.until(lambda: rests(other, run_id), "it rests")
        waits = other.send(wait=pb.WaitRequest(run_id=run_id))
        assert 0 < other.until_stage(waits, pb.Progress.RESTING).rest_ns <= LONG["spread_ns"]
        assert simulated.cancel_job(run_id)


def test_a_client_that_leaves_takes_its_resting_job_with_it(simulated_daemon, simulated, pair):
    with simulated_daemon.connect() as leaver:
        leaver.submit_compare(*pair, **LONG)
        simulated.until(lambda: any(job.standing.HasField("rest_ns") for job in simulated.status().queue), "it rests")
    simulated.until(lambda: not simulated.status().queue, "it is over")


@pytest.mark.parametrize("options, said", [
    (dict(rounds=0), "rounds is 0, not from 1 to 50"),
    (dict(rounds=2), "takes at least 3"),
    (dict(rounds=51), "rounds is 51, not from 1 to 50"),
    (dict(rounds=50, processes=21), "50 rounds of 21 processes are over 1000"),
    (dict(spread_ns=0), "spread_ns is 0, not from"),
    (dict(spread_ns=2**63), "not from"),
])
def test_what_cannot_be_is_refused(simulated, pair, options, said):
    with pytest.raises(Failed) as failed:
        simulated.compare(*pair, **{**FEW, **options})
    assert said in str(failed.value)


# ---- by benchctl

@pytest.fixture
def typed(build, simulated_daemon, tmp_path):
    for name in "xy":
        (tmp_path / f"{name}.c").write_text(PLACED)
    return Benchctl(build, cwd=tmp_path, **dict.fromkeys(["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDLIBS"]),
                    BENCHD_SOCKET=simulated_daemon.socket, XDG_CACHE_HOME=tmp_path / "cache")


BRIEF = ["--samples=4", "--iterations=1", "--processes=4"]


def test_each_round_has_links_of_its_own(typed):
    result = json.loads(typed("compare", *BRIEF, "--rounds=5", "--seed=3", "--format=json", "x.c", "y.c").stdout)

    assert result["module"]["links"] == 20 and result["comparisons"][0]["rounds"] == 5
    ratio = result["comparisons"][0]["ratio"]
    assert ratio["low"] < 0.95 < 1.05 < ratio["high"]
    assert not any("same build" in warning for warning in result["warnings"])


def test_the_head_says_which_links_and_span_the_interval_covers(typed):
    told = typed("compare", *BRIEF, "--rounds=3", "--spread=2", "x.c", "y.c").stdout
    markdown = typed("compare", *BRIEF, "--rounds=3", "--format=markdown", "x.c", "y.c").stdout

    assert re.search(r", 12 links of each, in 3 rounds over [\d.]+ s,", " ".join(told.replace("\n#", "").split()))
    assert "in 3 rounds over" in markdown


def test_an_unresolved_row_of_rounds_is_told_how_many_would_do(typed):
    result = json.loads(typed("compare", *BRIEF, "--rounds=3", "--seed=3", "--margin=20%", "--format=json", "x.c", "y.c").stdout)
    [row] = result["comparisons"]

    assert row["processes_needed"] is None
    if row["rounds_needed"]:
        assert 3 < row["rounds_needed"] <= 50


@pytest.mark.parametrize("options, said", [
    (["--rounds=0"], "--rounds"), (["--rounds=51"], "--rounds"), (["--rounds=many"], "--rounds"), (["--spread=0"], "--spread"),
    (["--spread=700000"], "--spread"), (["--spread"], "--spread"),
])
def test_what_cannot_be_is_refused_before_anything_is_compiled(typed, options, said):
    done = typed("compare", *options, "x.c", "y.c", expect=USAGE)
    assert said in done.stderr and "cc -O2" not in done.stderr


def test_a_run_takes_no_rounds(typed):
    assert "--rounds" in typed("run", "--rounds=3", "x.c", expect=USAGE).stderr

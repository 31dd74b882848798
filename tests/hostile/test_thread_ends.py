# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks of two threads of which one misbehaves: it ends for all, with the reason of the one, and nobody hangs."""

import os
import pathlib

import pytest

import benchd_pb2 as pb

TOUCHES = "team daemon/ops/block.c"

MODULE = pathlib.Path(__file__).parent / "modules" / "threads.c"
TIMEOUT_NS = 120 * 10**9

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")

# benchmark: code of its failure, words that its sentence must have
ENDS = {
    "one_breaks": ("break", ["break", "thread 1"]),
    "one_returns": ("return", ["return", "thread 1"]),
    "one_fails": ("failed", ["thread 1", "out of luck"]),
    "one_fails_in_its_set_up": ("failed", ["thread 1", "no set-up for me"]),
    "one_fails_after_its_loop": ("failed", ["thread 1", "a bad end"]),
    "one_skips": ("skipped", ["thread 1", "not on a Saturday"]),
    "one_has_no_loop": ("no-loop", ["bench_loop", "thread 1"]),
    "one_has_a_second_loop": ("second-loop", ["second", "thread 1"]),
    "one_stays_paused": ("misuse", ["bench_pause", "thread 1"]),
    "one_exits": ("exited", ["exit status 7"]),
    "one_crashes": ("crashed", ["signal 11"]),
    "one_ends_its_thread": ("thread", ["ended one of its threads", "thread 1"]),
    "the_first_ends_its_thread": ("thread", ["ended one of its threads", "thread 0"]),
    "one_breaks_and_is_waited_for": ("break", ["break", "thread 1"]),
    "the_first_breaks_and_is_waited_for": ("break", ["break", "thread 0"]),
    "one_fails_in_its_set_up_and_is_waited_for": ("failed", ["thread 1", "do not wait"]),
    "one_fails_while_it_is_given_inputs": ("failed", ["thread 1", "input 3"]),
    "set_up_fails_for_all": ("failed", ["thread 0", "nothing for any of them"]),
}


@pytest.fixture(scope="module")
def run(modules, tmp_path_factory, build):
    from support.steady import SteadyDaemon

    with SteadyDaemon(build, tmp_path_factory.mktemp("threads")) as daemon, daemon.connect() as client:
        yield client.run(modules(MODULE), quick=True, timeout_ns=TIMEOUT_NS)


def test_the_good_one_beside_them_is_right(run):
    well = run.benchmarks["threads/well threads=2"]
    assert not well.HasField("failed")
    assert well.threads == 2
    assert well.time_ns.point > 0


@pytest.mark.parametrize("name", ENDS)
def test_one_that_leaves_ends_it_for_all_with_its_own_reason(run, name):
    code, words = ENDS[name]
    failed = run.benchmarks[f"threads/{name} threads=2"].failed

    assert failed.code == code, failed.message
    for word in words:
        assert word.lower() in failed.message.lower(), failed.message


@pytest.mark.parametrize("name", ["one_blocks", "one_spins", "one_stops_all"])
def test_one_that_never_comes_back_is_killed_with_all_after_its_timeout(daemon, client, modules, name):
    run = client.run(modules(MODULE), filters=[f"threads/{name}"], timeout_ns=2 * 10**9)
    failed = run.benchmarks[f"threads/{name} threads=2"].failed

    assert run.result.verdict == pb.RunResult.FAILED
    assert failed.code == "timeout"
    assert "2 s" in failed.message
    assert daemon.find("benchd-runner") == []


def test_what_one_does_in_the_name_of_the_other_ends_that_benchmark_only(daemon, client, modules):
    run = client.run(modules(MODULE), filters=["threads/one_fails_in_the_name_of_the_other", "threads/well"], quick=True,
                     timeout_ns=20 * 10**9)  # the other may wait for one that will not come

    assert run.benchmarks["threads/one_fails_in_the_name_of_the_other threads=2"].HasField("failed")
    assert not run.benchmarks["threads/well threads=2"].HasField("failed")
    assert daemon.find("benchd-runner") == []


def test_an_exception_in_one_ends_it_for_all_with_its_words(client, modules, tmp_path):
    source = tmp_path / "thrower.cc"
    source.write_text("""
#include <benchd/bench.h>
#include <stdexcept>

BENCH(throws, .threads = BENCH_THREADS(2))
{
        bench_loop(b)
                if (bench_thread(b) == 1 && bench_batch(b) > 1)
                        throw std::runtime_error("out of patience");
}
""")
    failed = client.run(modules(source), quick=True).benchmarks["thrower/throws threads=2"].failed
    assert failed.code == "exception"
    assert "thread 1: out of patience" in failed.message

# SPDX-License-Identifier: GPL-3.0-or-later
"""How times spread and grow, through the whole daemon: modes of both kinds, a drift, a precision, sweeps."""

import pytest

import benchd_pb2 as pb
from support.client import Failed
from support.tree import PASS

TOUCHES = "spread modes drift complexity complexity-report processes-needed"


# A step is a ns of the simulated clock. What .reset does between batches is not timed. Processes differ by the padding of their
# environment, which the run's seed draws: always alike.
SPREAD = PASS + """
#include <stdlib.h>
#include <string.h>

static unsigned steps;

static unsigned drawn_by_the_seed(void)
{
        return strlen(getenv("PADDING")) * 2654435761u;
}

static void flip(struct bench *b)
{
        steps ^= 1000 ^ 2000;
}

static void grow(struct bench *b)
{
        steps += 10;
}

BENCH(flips, .reset = flip, .iterations = 20)
{
        steps = 1000;
        bench_loop(b) simulated_pass(steps);
}

BENCH(kinds, .iterations = 20)
{
        steps = drawn_by_the_seed() >> 16 & 1 ? 2000 : 1000;
        bench_loop(b) simulated_pass(steps);
}

BENCH(drifts, .reset = grow, .iterations = 20)
{
        steps = 1000;
        bench_loop(b) simulated_pass(steps);
}

/* Noise of 1 % within a process, and more between them. */
BENCH(steady)
{
        unsigned random = drawn_by_the_seed();

        steps = 100000 + random % 3000;
        bench_loop(b) {
                random = random * 1664525 + 1013904223;
                simulated_pass(steps + (random >> 16) % 3000);
        }
}
"""

# Nothing is warmed up, so that a process is short.
BRIEF = {"warmup_ns": 10**6, "processes": 16, "seed": 3}


@pytest.fixture(scope="module")
def built(modules):
    return modules(SPREAD)


def measure(client, built, name, **options):
    run = client.run(built, filters=[f"*/{name}"], **{**BRIEF, **options})
    return list(run.benchmarks.values())[0], run


def said(result, words):
    return [warning for warning in result.warnings if words in warning]


def modes(result, kind):
    return [mode for mode in result.modes if mode.kind == kind]


def test_what_flips_from_sample_to_sample_has_modes_within_its_processes(simulated, built):
    result, _ = measure(simulated, built, "flips")

    within = modes(result, pb.Mode.WITHIN)
    assert len(within) >= 2 and abs(sum(mode.weight for mode in within) - 1) < 1e-9
    assert within[-1].center_ns > 1.5 * within[0].center_ns
    assert said(result, "have modes within processes")


def test_what_each_process_decides_at_its_start_has_modes_between_them(simulated, built):
    result, _ = measure(simulated, built, "kinds")

    between = modes(result, pb.Mode.BETWEEN)
    assert len(between) >= 2 and abs(sum(mode.weight for mode in between) - 1) < 1e-9
    assert between[-1].center_ns > 1.5 * between[0].center_ns
    assert said(result, "have modes between processes")
    assert result.variance.between_process > result.variance.within_process


def test_what_gets_slower_from_sample_to_sample_drifts(simulated, built):
    result, _ = measure(simulated, built, "drifts")

    # 199 times 10 steps more, of 1010 at first: as much as the median; twice that, however long a shared core makes it go on
    assert 0.4 < result.drift.change < 2
    assert result.drift.p_value < 1e-6
    assert said(result, "times drift")


def test_what_is_steady_has_a_spread_and_neither_modes_nor_drift_are_made_up(simulated, built):
    result, run = measure(simulated, built, "steady")
    summary = result.time_ns.raw

    assert not said(result, "times drift")
    assert 1 <= result.variance.ess <= result.samples
    assert result.variance.within_process >= 0 and result.variance.between_process >= 0
    assert 0.5 < summary.within_1sd <= summary.within_2sd <= 1
    assert summary.min <= summary.median_low <= summary.median <= summary.median_high <= summary.max
    assert summary.best == summary.min and summary.min < summary.trimmed_mean < summary.max
    assert run.result.plan.processes == 16
    assert abs(run.result.plan.unseen_share - (1 - 0.05 ** (1 / 16))) < 1e-9


def test_fewer_than_three_processes_have_no_interval_and_four_are_said_to_be_few(simulated, built):
    two, _ = measure(simulated, built, "steady", processes=2)
    four, run = measure(simulated, built, "steady", processes=4)

    assert not two.time_ns.HasField("low") and said(two, "no interval: measured in 2 processes")
    assert four.time_ns.HasField("low")
    assert abs(run.result.plan.unseen_share - (1 - 0.05 ** (1 / 4))) < 1e-9 and not said(four, "cannot rule out")


# ---- a precision

def test_a_precision_begins_with_twelve_processes_and_grows_to_what_may_be_run(simulated, built):
    result, run = measure(simulated, built, "steady", precision=0.0001, processes=16)
    told = [progress.processes for progress in run.progress if progress.stage == pb.Progress.MEASURING]

    assert (told[0], told[-1], sorted(told)) == (12, 16, told)
    assert len(result.processes) == run.result.plan.processes == 16
    assert run.result.plan.precision == 0.0001
    assert said(result, "at most 16 may be run")


def test_a_precision_that_twelve_reach_takes_no_more(simulated, built):
    result, run = measure(simulated, built, "steady", precision=1)

    assert len(result.processes) == 12
    assert not run.result.plan.HasField("shortened_by")


def test_a_precision_beyond_the_budget_runs_what_fits_and_names_it(simulated, built):
    options = {"precision": 0.0001, "budget_ns": 200 * 10**6, "min_time_ns": 10**6, "samples": 20}
    result, run = measure(simulated, built, "steady", **{**options, "processes": 1000})

    assert 5 <= len(result.processes) < 20, "20 ms of each process, 200 ms in all"
    assert said(result, "the budget holds")
    assert run.result.plan.shortened_by == "budget"


def test_the_seed_of_a_run_to_a_precision_gives_the_same_processes(simulated, built):
    layouts = []
    for _ in range(2):
        result, _ = measure(simulated, built, "steady", precision=0.0001, processes=7, seed=11)
        layouts.append([(process.stack_offset, process.environment_bytes) for process in result.processes])
    assert layouts[0] == layouts[1] and len(set(layouts[0])) > 1


@pytest.mark.parametrize("precision", [0, 0.00001, 1.5, float("nan")])
def test_a_precision_that_cannot_be_is_refused(simulated, built, precision):
    with pytest.raises(Failed) as refused:
        simulated.run(built, precision=precision)
    assert refused.value.code == "BAD_REQUEST" and "precision" in refused.value.message


# ---- sweeps

SWEEPS = PASS + """
BENCH(linear, .args = BENCH_RANGE(n, 128, 131072, 4))
{
        bench_loop(b) simulated_pass(bench_arg(b, 0));
}

BENCH(square, .args = BENCH_ARGS(size, 16, 64, 256, 512))
{
        if (bench_arg(b, 0) == 512)
                bench_fail(b, "not this one");
        bench_loop(b) simulated_pass(bench_arg(b, 0) * bench_arg(b, 0));
}

BENCH(wild, .args = BENCH_ARGS(n, 1, 2, 3, 4, 5))
{
        bench_loop(b) simulated_pass(bench_arg(b, 0) % 2 ? 100 : 10000);
}

BENCH(short_one, .args = BENCH_ARGS(n, 1, 2))
{
        bench_loop(b) simulated_pass(bench_arg(b, 0));
}
"""


def test_a_benchmark_over_sizes_gets_the_order_of_its_growth(simulated, modules):
    run = simulated.run(modules(SWEEPS), quick=True, warmup_ns=10**6)
    fits = {fit.name: fit for fit in run.result.complexity}

    assert set(fits) == {"linear", "square", "wild"}
    assert (fits["linear"].arg, fits["linear"].order, fits["linear"].sizes) == ("n", "n", 6)
    assert (fits["square"].arg, fits["square"].order, fits["square"].sizes) == ("size", "n^2", 3), "one size failed"
    assert fits["linear"].residual < 0.05 and fits["linear"].coefficient > 0
    assert not fits["wild"].HasField("order") and not fits["wild"].HasField("coefficient")
    assert fits["wild"].residual > 0.05
    assert run.result.quick


GROWS = PASS + """
BENCH(grows)
{
        uint64_t n = 0;

        bench_loop(b)
                simulated_pass(100 + 20 * n++);
}

BENCH(steady)
{
        bench_loop(b)
                simulated_pass(100);
}
"""


def test_time_that_rises_with_the_length_of_a_batch_is_named_with_its_remedy(simulated, modules):
    run = simulated.run(modules("#include <stdint.h>\n" + GROWS), quick=True)
    grows, steady = (next(row for name, row in run.benchmarks.items() if name.endswith(which)) for which in ("grows", "steady"))

    assert any(".reset" in text for text in said(grows, "times as long in the longest batch"))
    assert not said(steady, "times as long")

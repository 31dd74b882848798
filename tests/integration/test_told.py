# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body tells and shares beside its loop: labels, the context of its set-up, and times of its own."""

import os

import pytest

import benchd_pb2 as pb
from support.client import PATIENT, TWICE, Failed
from support.tree import PASS, WORK

TOUCHES = "daemon/runner/watch/report.* side include/benchd/bench.h"

BRIEF = TWICE | dict(samples=4, seed=1)


two_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")


def counters(benchmark):
    return {counter.name: counter.value for counter in benchmark.counters}


# ---- labels

LABELS = r"""
BENCH(labelled, .args = BENCH_ARGS(n, 1, 2))
{
        bench_label(b, "forgotten");
        bench_loop(b)
                bench_clobber();
        bench_label(b, "variant %d of %s", (int)bench_arg(b, 0), "two\tor three");
}

BENCH(plain) { bench_loop(b) bench_clobber(); }
BENCH(long_one) { bench_loop(b) bench_clobber(); bench_label(b, "%0100d", 7); }
"""


def test_a_label_is_told_with_its_row(client, modules):
    rows = client.run(modules(LABELS), **BRIEF).benchmarks
    labels = {name.split("/", 1)[1]: row.label for name, row in rows.items()}

    assert labels["labelled/n=1"] == "variant 1 of two or three"
    assert labels["labelled/n=2"] == "variant 2 of two or three"
    assert labels["long_one"] == 63 * "0"
    assert not next(row for name, row in rows.items() if name.endswith("/plain")).HasField("label")


@two_cpus
def test_of_several_threads_the_first_that_gives_one_has_the_label(client, modules):
    (row,) = client.run(modules("""
BENCH(threaded, .threads = BENCH_THREADS(2))
{
        bench_loop(b)
                bench_clobber();
        if (bench_thread(b) == 1)
                bench_label(b, "by thread %u", bench_thread(b));
}
"""), **BRIEF).benchmarks.values()

    assert row.label == "by thread 1"


# ---- the context of set-up

CONTEXT = r"""
#include <stdlib.h>

struct state {
        int bodies, resets, teardowns, wrong;
        struct state *self;
};

static void set_up(struct bench *b)
{
        struct state *state = calloc(1, sizeof *state);

        state->wrong = bench_context(b) != NULL;
        state->self = state;
        bench_set_context(b, state);
}

static void reset(struct bench *b)
{
        struct state *state = bench_context(b);

        __atomic_add_fetch(&state->resets, state->self == state, __ATOMIC_SEQ_CST);
}

static void tear_down(struct bench *b)
{
        struct state *state = bench_context(b);

        bench_counter(b, "bodies", state->bodies);
        bench_counter(b, "reset", state->resets > 0 && state->resets % bench_threads(b) == 0);
        bench_counter(b, "wrong", state->wrong);
        free(state);
}

BENCH(shared, .setup = set_up, .reset = reset, .teardown = tear_down, .iterations = 2, .threads = BENCH_THREADS(THREADS))
{
        struct state *state = bench_context(b);

        __atomic_add_fetch(&state->bodies, state->self == state, __ATOMIC_SEQ_CST);
        bench_loop(b)
                bench_clobber();
        __atomic_add_fetch(&state->wrong, bench_context(b) != state, __ATOMIC_SEQ_CST);
}

BENCH(without) { bench_loop(b) bench_clobber(); bench_counter(b, "null", bench_context(b) == NULL); }
"""


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=two_cpus)])
def test_the_context_of_setup_reaches_every_function_of_every_thread(client, modules, threads):
    rows = client.run(modules(CONTEXT, f"-DTHREADS={threads}", name="context"), **BRIEF).benchmarks
    told = {row.name: counters(row) for row in rows.values()}

    assert told == {"shared": {"bodies": threads, "reset": 1, "wrong": 0}, "without": {"null": 1}}


def test_each_side_of_a_comparison_has_a_context_of_its_own(client, modules):
    module = modules(CONTEXT, "-DTHREADS=1", name="context")
    run = client.compare(module, module, filters=["shared"], **{**BRIEF, "processes": 3})

    assert [counters(row) for row in run.benchmarks.values()] == 2 * [{"bodies": 1, "reset": 1, "wrong": 0}]


# ---- times of the body's own

MANUAL = r"""
BENCH(device, .ops = 2)
{
        static unsigned n;

        bench_items(b, 4);
        bench_bytes(b, 8);
        bench_loop(b)
                bench_manual_ns(b, n++ % 2 ? 3000 : 1000);
}

BENCH(own_clock) { bench_loop(b) bench_clobber(); }
BENCH(now_and_then) { bench_loop(b) if (bench_index(b) % 2) bench_manual_ns(b, 5); }
BENCH(twice) { bench_loop(b) { bench_manual_ns(b, 5); bench_manual_ns(b, 5); } }
BENCH(late) { unsigned n = 0; bench_loop(b) if (++n > 100) bench_manual_ns(b, 5); }
BENCH(nothing) { bench_loop(b) bench_manual_ns(b, 0); }
BENCH(backwards) { bench_loop(b) bench_manual_ns(b, -1); }
BENCH(endless) { bench_loop(b) bench_manual_ns(b, __builtin_inf()); }
BENCH(huge) { bench_loop(b) bench_manual_ns(b, 1e300); }
BENCH(tiny) { bench_loop(b) bench_manual_ns(b, 5e-324); }
"""


@pytest.fixture(scope="module")
def manual(build, modules, tmp_path_factory):
    """The benchmarks of that module, in batches of four, run once; no neighbour of the core leaves an interval unsaid."""
    from support.daemon import Daemon

    with Daemon(build, tmp_path_factory.mktemp("manual"), launch=["--no-probes"]) as daemon, daemon.connect() as client:
        rows = client.run(modules(MANUAL), **{**BRIEF, "iterations": 4, "processes": 3}).benchmarks
    return {row.name: row for row in rows.values()}


def test_the_times_are_those_that_the_body_told(manual):
    row = manual["device"]

    assert row.manual_time and not row.HasField("failed")
    assert (row.time_ns.point, row.time_ns.low, row.time_ns.high) == pytest.approx((1000, 1000, 1000))
    assert (row.time_ns.raw.min, row.time_ns.raw.max) == pytest.approx((1000, 1000))
    assert [process.median_ns for process in row.processes] == pytest.approx(3 * [1000])
    assert (row.throughput.items_per_second, row.throughput.bytes_per_second) == pytest.approx((2e6, 4e6))


def test_what_rests_on_the_clock_of_benchd_is_not_said_of_them(manual):
    row, other = manual["device"], manual["own_clock"]

    assert row.cycles.source == pb.Quantity.UNAVAILABLE and not row.cycles.HasField("point")
    assert not row.time_ns.HasField("net") and not row.time_ns.HasField("loop")
    assert not row.HasField("first_call_ns") and other.HasField("first_call_ns")
    assert not row.HasField("harness_error_ns") and other.HasField("harness_error_ns")
    assert not row.HasField("pmu") and not row.below_noise_floor and not row.within_loop_cost
    assert not any("steps of the clock" in warning for warning in row.warnings)
    assert any("steps of the clock" in warning for warning in other.warnings) and not other.manual_time


def test_no_empty_loop_is_timed_beside_times_that_were_told(client, modules):
    run = client.run(modules(MANUAL), filters=["device", "own_clock"], trace=True, **{**BRIEF, "iterations": 4})
    timed = {row.name: any(phase.phase == pb.TracePhase.LOOP for process in row.processes for phase in process.trace)
             for row in run.benchmarks.values()}

    assert timed == {"device": False, "own_clock": True}


@pytest.mark.parametrize("name, words", [
    ("now_and_then", "each iteration reports its time once, or none does"),
    ("twice", "bench_manual_ns() 2 times in a batch of 1: each iteration"),
    ("late", "each iteration reports its time once, or none does"),
    ("nothing", "a batch took 0 ns, which is no time"),
    ("backwards", "bench_manual_ns(b, -1): a time is 0 or more"),
    ("endless", "a batch took inf ns, which is no time"),
    ("huge", "a batch took 1e+300 ns, which is no time: it takes 1e-06 to 1e+18"),
    ("tiny", "which is no time: it takes 1e-06 to 1e+18"),
])
def test_times_that_cannot_be_are_refused_in_words(manual, name, words):
    assert manual[name].failed.code == "misuse" and words in manual[name].failed.message


def test_a_comparison_is_of_the_times_that_were_told(client, modules):
    new, old = (modules(f"BENCH(x, .area = \"a\") {{ bench_loop(b) bench_manual_ns(b, {ns}); }}") for ns in (1500, 1000))
    run = client.compare(new, old, **{**BRIEF, "processes": 3})

    (row,) = run.result.comparisons
    assert row.ratio.point == pytest.approx(1.5)
    assert all(side.manual_time for side in run.benchmarks.values())


# ---- CPU time

BY_CPU = WORK + PASS + """
BENCH(works)  { bench_loop(b) simulated_work(1000); }
BENCH(waits)  { bench_loop(b) { simulated_work(1000); simulated_pass(3000); } }
BENCH(paused) { bench_loop(b) { bench_pause(b); simulated_work(500); bench_resume(b); simulated_work(1000); simulated_pass(200); } }
BENCH(sleeps) { bench_loop(b) simulated_pass(1000); }
BENCH(own)    { bench_loop(b) { simulated_work(10); bench_manual_ns(b, 7); } }
"""


def test_cpu_time_is_what_the_cpu_is_charged_and_not_what_passes(simulated, modules):
    """By the simulated clocks, of which each reading of the CPU's costs 50 ns."""
    module = modules(BY_CPU)
    wall, cpu = (simulated.run(module, quick=True, cpu_time=cpu_time) for cpu_time in (False, True))
    points = {name.split("/")[1]: (row.time_ns.point, cpu.benchmarks[name].time_ns.point) for name, row in wall.benchmarks.items()}
    assert points == {
        "works": (pytest.approx(1000), pytest.approx(1000)),
        "waits": (pytest.approx(4000), pytest.approx(1000)),
        "paused": (pytest.approx(1200), pytest.approx(1000)),
        "sleeps": (pytest.approx(1000), pytest.approx(0, abs=1e-3)),
        "own": (pytest.approx(7), pytest.approx(7)),
    }
    clocks = {name.split("/")[1]: (row.clock, cpu.benchmarks[name].clock) for name, row in wall.benchmarks.items()}
    assert clocks == {**dict.fromkeys(("works", "waits", "paused", "sleeps"), ("wall", "cpu")), "own": ("own", "own")}
    assert (wall.result.method, cpu.result.method) == ("benchd", "benchd cpu-time")
    assert wall.result.comparability_key != cpu.result.comparability_key


def test_cpu_time_has_its_own_floor_and_nothing_that_rests_on_ticks(simulated, modules):
    rows = {name.split("/")[1]: row for name, row in simulated.run(modules(BY_CPU), quick=True, cpu_time=True).benchmarks.items()}
    works = rows["works"]
    batch = works.iterations_per_sample
    assert works.harness_error_ns == pytest.approx((50 + 1) / batch), "the cost of the clock and its step"
    assert not works.below_noise_floor and rows["sleeps"].below_noise_floor
    assert not works.HasField("first_call_ns") and not works.time_ns.HasField("net") and not works.manual_time


def test_cpu_time_is_compared(simulated, modules):
    new, old = (modules(WORK + PASS + f'BENCH(x, .area = "a") {{ bench_loop(b) {{ simulated_work({ns}); simulated_pass(9000); }} }}')
                for ns in (1500, 1000))
    run = simulated.compare(new, old, cpu_time=True, processes=4, samples=12, min_time_ns=50_000)
    row, = run.result.comparisons
    assert row.ratio.point == pytest.approx(1.5)


@two_cpus
def test_each_of_several_threads_has_its_own_cpu_time(client, modules):
    """What it measures, no test can know; that it is of the CPU, and of both, it can."""
    module = modules("BENCH(x) { unsigned x = 0; bench_loop(b) bench_opaque(x); }")
    row, = client.run(module, quick=True, cpu_time=True, threads=2).benchmarks.values()
    assert not row.HasField("failed") and row.clock == "cpu" and row.threads == 2


def test_waiting_is_no_matter_of_cpu_time(client, modules):
    module = modules("#include <poll.h>\nBENCH(x) { bench_loop(b) poll(NULL, 0, 1); }")
    for cpu_time in (False, True):
        row, = client.run(module, quick=True, cpu_time=cpu_time, **PATIENT).benchmarks.values()
        assert any("sleeps or waits inside its loop" in warning for warning in row.warnings) != cpu_time


def test_older_methods_take_no_cpu_time(client, modules):
    with pytest.raises(Failed) as failed:
        client.run(modules("BENCH(x) { bench_loop(b) ; }"), method="mark7", cpu_time=True)
    assert failed.value.message == "The method mark7 does not take --clock."

# SPDX-License-Identifier: GPL-3.0-or-later
"""The timed loop: what it costs itself, cold and unprimed runs, traces, layouts, and bodies that take long."""

import pytest

import benchd_pb2 as pb
from support.client import MEASURED, PATIENT, Failed
from support.tree import PASS

TOUCHES = "measure body pace* cold record"

STEPS = """
#define STEP10(s) s s s s s s s s s s

BENCH(empty)  { bench_loop(b) ; }
BENCH(step)   { uint64_t x = 3; bench_loop(b) __asm__ volatile("imul %0, %0" : "+r"(x)); }
BENCH(ten)    { uint64_t x = 3; bench_loop(b) BENCH_REPEAT10(__asm__ volatile("imul %0, %0" : "+r"(x))); }
BENCH(chain, .ops = 100)
{
        uint64_t x = 3;

        bench_loop(b)
                __asm__ volatile(STEP10(STEP10("imul %0, %0\\n\\t")) : "+r"(x));
}
BENCH(single, .iterations = 1) { bench_loop(b) for (volatile int i = 0; i < 1000; i++) ; }
"""

LOOP_RESOLVED_NS = 400_000  # of a batch: its empty loop takes 100 steps of the clock, also of one of 10 ns


def named(run):
    return {name.split("/")[1]: result for name, result in run.benchmarks.items()}


@pytest.fixture(scope="module")
def built(modules):
    return modules(STEPS)


# ---- the loop's own cost

def test_net_is_what_the_empty_loop_leaves_of_each_process(client, built):
    for name, result in named(client.run(built, quick=True, **PATIENT)).items():
        quantity = result.time_ns
        if name == "single":
            assert not quantity.HasField("loop") and not quantity.HasField("net"), "a batch of one goes round no loop"
            continue
        assert quantity.loop.samples == 20 * len(result.processes)
        assert quantity.loop.min <= quantity.loop.median <= quantity.loop.max
        assert quantity.net.low <= quantity.net.point <= quantity.net.high
        medians = [process.median_ns for process in result.processes if process.HasField("median_ns")]
        rounding = 1e-12 * max(medians)
        assert min(medians) - quantity.loop.max - rounding <= quantity.net.point
        assert quantity.net.point <= max(medians) - quantity.loop.min + rounding
        assert not result.cycles.HasField("net") or result.cycles.source != pb.Quantity.UNAVAILABLE


def test_a_net_that_holds_zero_is_below_the_noise_floor(client, built):
    for result in named(client.run(built)).values():
        if result.time_ns.HasField("net"):
            assert result.below_noise_floor == (result.time_ns.net.low <= 0)


# ---- the empty loop of a run, and the harness's own error

@pytest.mark.parametrize("name, ops", [("step", 1), ("ten", 10)])
def test_the_empty_loop_is_told_for_the_run_by_the_iteration(client, built, name, ops):
    run = client.run(built, quick=True, min_time_ns=LOOP_RESOLVED_NS, filters=[name], **PATIENT)
    of_row, of_run = named(run)[name].time_ns.loop, run.result.empty

    assert of_run.samples == of_row.samples == of_run.time_ns.raw.samples
    for field in ("min", "median", "p95", "max"):
        assert getattr(of_run.time_ns.raw, field) == pytest.approx(ops * getattr(of_row, field))
    assert of_run.time_ns.low <= of_run.time_ns.point <= of_run.time_ns.high


def test_the_harness_errs_by_its_loops_spread_over_the_operations(client, built):
    run = client.run(built, quick=True, **PATIENT)
    for name, result in named(run).items():
        step = run.result.environment.tsc.quantum_ticks / run.result.environment.tsc.hz * 1e9
        step /= result.iterations_per_sample * result.ops_per_iteration

        assert result.harness_error_ns >= step * (1 - 1e-6), name  # the frequency is read anew meanwhile
        if result.time_ns.HasField("loop"):
            loop = result.time_ns.loop
            assert result.harness_error_ns <= max(step, loop.max - loop.min) * (1 + 1e-6), name


def test_a_run_that_times_no_loop_tells_of_none(client, built):
    assert not client.run(built, quick=True, filters=["single"], **PATIENT).result.HasField("empty")


# ---- clones and repeats agree

COPIES = """
#define BODY(name) \\
        BENCH(name) { uint64_t x = 3; bench_loop(b) { for (int i = 0; i < 20; i++) __asm__ volatile("imul %0, %0" : "+r"(x)); } }

BODY(first)
__asm__(".text\\n.balign 64\\n.skip 17, 0x90\\n");
BODY(second)
"""


def test_a_loops_offset_is_that_of_its_code(client, modules):
    """Where a processor takes longer for a loop that lies otherwise in its line, the offset is what tells two copies apart."""
    module = modules(COPIES, "-fno-toplevel-reorder", "-fno-align-functions", "-fno-ipa-icf")
    offsets = {name: {process.loop_offset for process in result.processes}
               for name, result in named(client.run(module, quick=True)).items()}

    assert [len(of_one) for of_one in offsets.values()] == [1, 1], "modules are loaded at whole pages"
    assert all(offset < 64 for of_one in offsets.values() for offset in of_one)
    assert offsets["first"] != offsets["second"]


def test_repeat10_takes_per_statement_what_a_chain_of_them_does(simulated, modules):
    results = named(simulated.run(modules(PASS + """
BENCH(step)              { bench_loop(b) simulated_pass(7); }
BENCH(ten)               { bench_loop(b) BENCH_REPEAT10(simulated_pass(7)); }
BENCH(chain, .ops = 100) { bench_loop(b) simulated_pass(700); }
"""), quick=True))

    assert {name: result.ops_per_iteration for name, result in results.items()} == {"step": 1, "ten": 10, "chain": 100}
    for result in results.values():
        assert result.time_ns.raw.min == pytest.approx(7) and result.time_ns.raw.max == pytest.approx(7)


# ---- cold

SUM = """
static char memory[1 << 18];

BENCH(sum)
{
        bench_loop(b) {
                unsigned sum = 0;

                for (unsigned i = 0; i < sizeof memory; i += 64)
                        sum += *(volatile char *)(memory + (i * 977) % sizeof memory);
                bench_use(sum);
        }
}
"""


def test_a_cold_sample_is_one_iteration_and_the_result_says_so(client, modules):
    cold = client.run(modules(SUM), quick=True, cold=True)
    result = named(cold)["sum"]

    assert cold.result.method == "benchd cold"
    assert result.iterations_per_sample == 1
    assert result.time_ns.HasField("loop"), "what is cold of the loop itself has to be told"
    warm = client.run(modules(SUM), quick=True)
    assert warm.result.method == "benchd"
    assert warm.result.comparability_key != cold.result.comparability_key


def test_prepared_inputs_are_cold_too(client, modules):
    run = client.run(modules("""
static void fill(void *input, uint64_t index, void *ctx) { (void)ctx; *(uint64_t *)input = index; }
BENCH(input)
{
        uint64_t sum = 0;

        bench_inputs(b, 4096, fill, NULL, NULL);
        bench_loop(b)
                sum += *(volatile uint64_t *)bench_input(b);
        bench_use(sum);
}
"""), quick=True, cold=True)
    assert named(run)["input"].iterations_per_sample == 1


def test_cold_iterations_are_refused_but_for_one(client, built):
    with pytest.raises(Failed) as failed:
        client.run(built, cold=True, iterations=5)
    assert failed.value.code == "BAD_REQUEST"
    assert "cold" in failed.value.message


# ---- the first call

def test_without_priming_there_is_no_first_call(client, built):
    run = client.run(built, quick=True, no_prime=True, **PATIENT)

    assert run.result.method == "benchd unprimed"
    for result in run.benchmarks.values():
        assert not result.HasField("first_call_ns")
        assert result.samples >= 120
    assert all(r.HasField("first_call_ns") for r in client.run(built, quick=True).benchmarks.values())


COUNTED = """
static uint64_t calls;

BENCH(counted, .prime = BENCH_NO, .iterations = 10)
{
        bench_loop(b)
                bench_use(++calls);
        bench_counter(b, "calls", calls);
}
"""


def test_a_body_may_ask_to_be_left_unprimed(client, modules):
    result = named(client.run(modules(COUNTED), quick=True, warmup_ns=0, **PATIENT))["counted"]

    assert not result.HasField("first_call_ns")
    calls = {counter.name: counter.value for counter in result.counters}["calls"]
    assert calls == pytest.approx(10 * result.samples / len(result.processes)) and calls >= 400, "the first call is a sample"
    assert all(process.iterations == 10 for process in result.processes)


CALLED = """
#define CALLED(name, ...)                                                                                              \\
        BENCH(name, .samples = 3, .iterations = 1, .warmup_ms = BENCH_NO_WARMUP, __VA_ARGS__)                          \\
        {                                                                                                              \\
                unsigned calls = 0;                                                                                    \\
                bench_loop(b)                                                                                          \\
                        bench_use(++calls);                                                                            \\
                bench_counter(b, "calls", calls);                                                                      \\
        }
CALLED(unprimed, .prime = BENCH_NO)
CALLED(primed, .prime = BENCH_YES)
CALLED(by_measureit, .prime = BENCH_NO, .method = "measureit")
"""


def calls_of(run):
    return {name: {counter.name: counter.value for counter in result.counters}["calls"] for name, result in named(run).items()
            if result.counters}


def test_a_body_without_warm_up_is_called_as_often_as_it_says(client, modules):
    """Each process by itself: the figure is the mean over all, and whole."""
    module = modules(CALLED)
    assert calls_of(client.run(module)) == {"unprimed": 3, "primed": 4, "by_measureit": 3}
    assert calls_of(client.run(module, filters=["primed"], no_prime=True, samples=5, processes=2)) == {"primed": 5}
    warmed = calls_of(client.run(module, filters=["unprimed"], warmup_ns=2_000_000, processes=2))
    assert warmed["unprimed"] > 3, "the command line wins"


# ---- trace

PHASES = [pb.TracePhase.SETUP, pb.TracePhase.FIRST_CALL, pb.TracePhase.WARMUP, pb.TracePhase.SAMPLING, pb.TracePhase.LOOP,
          pb.TracePhase.TEARDOWN]


def test_a_trace_has_every_phase_of_every_process_in_order(client, built):
    run = client.run(built, quick=True, trace=True, filters=["*/ten"], **PATIENT)
    result = named(run)["ten"]

    for process in result.processes:
        assert [phase.phase for phase in process.trace] == PHASES
        for before, after in zip(process.trace, process.trace[1:]):
            assert before.start_ticks <= before.end_ticks <= after.start_ticks
        setup, first, warmup, sampling, loop, teardown = process.trace
        assert (first.batches, first.iterations) == (1, 1)
        assert warmup.batches + sampling.batches >= 40, "the settled part of the warm-up counts"
        assert sampling.iterations == sampling.batches * process.iterations
        assert loop.batches >= 20
        assert setup.batches == teardown.batches == 0
        assert warmup.batches >= 1
        assert sum(phase.windows_asked for phase in process.trace) >= 1
        assert all(phase.windows_fifo <= phase.windows_asked for phase in process.trace)
    if result.HasField("disturbed"):
        interrupted = [sum(p.trace[phase].interrupted for p in result.processes) for phase in (2, 3)]
        assert interrupted[1] <= result.disturbed.interrupted <= sum(interrupted)


def test_nothing_is_traced_unasked(client, built):
    for result in client.run(built, quick=True).benchmarks.values():
        assert all(len(process.trace) == 0 for process in result.processes)


# ---- layout

ADDRESSES = """
#include <stdlib.h>

BENCH(addresses)
{
        int local;
        void *heap = malloc(1);

        bench_counter(b, "stack", (double)(uintptr_t)&local);
        bench_counter(b, "heap", (double)(uintptr_t)heap);
        bench_counter(b, "code", (double)(uintptr_t)abort);
        bench_loop(b)
                bench_clobber();
        free(heap);
}
"""


def layouts(client, module, **options):
    """What each of several runs of one process has for addresses, and the control."""
    seen, controls = set(), []
    for seed in range(4):
        run = client.run(module, quick=True, processes=1, seed=seed, **options)
        result = named(run)["addresses"]
        seen.add(tuple(counter.value for counter in result.counters))
        controls += [control for control in run.result.environment.controls if control.name == "aslr"]
    return seen, controls


def test_without_aslr_every_process_has_one_layout(client, modules):
    seen, controls = layouts(client, modules(ADDRESSES), no_aslr=True)

    assert len(controls) == 4
    if controls[0].outcome in (pb.Control.DENIED, pb.Control.UNSUPPORTED):
        pytest.skip("addresses cannot be fixed here")
    assert controls[0].outcome in (pb.Control.APPLIED, pb.Control.ALREADY)
    assert getattr(controls[0], "is") == "fixed"
    assert len(seen) == 1


def test_with_aslr_no_two_processes_are_alike_and_it_is_said(client, modules):
    seen, controls = layouts(client, modules(ADDRESSES))

    assert len(controls) == 4
    if controls[0].outcome != pb.Control.ALREADY:
        pytest.skip("addresses are not random on this machine")
    assert getattr(controls[0], "is") == "random"
    assert len(seen) == 4


def test_without_aslr_offset_and_environment_are_fixed_too(client, built):
    run = client.run(built, quick=True, no_aslr=True)

    processes = [process for result in run.benchmarks.values() for process in result.processes]
    assert {process.stack_offset for process in processes} == {0}
    assert len({process.environment_bytes for process in processes}) == 1


PLACES = """
BENCH(places)
{
        bench_loop(b)
                bench_clobber();
}
"""


def test_every_process_has_its_code_elsewhere_in_the_line_and_none_without_aslr(client, modules):
    module = modules(PLACES)
    run = client.run(module, quick=True, processes=8, samples=3)
    processes = named(run)["places"].processes
    control = next(control for control in run.result.environment.controls if control.name == "code offset")

    assert control.outcome == pb.Control.APPLIED
    assert sorted(process.image_offset for process in processes) == [0, 0, 16, 16, 32, 32, 48, 48]
    assert len({(process.loop_offset - process.image_offset) % 64 for process in processes}) == 1
    assert named(run)["places"].variance.HasField("image_offset_share")

    fixed = client.run(module, quick=True, processes=8, samples=3, no_aslr=True)
    places = {(process.image_offset, process.loop_offset) for process in named(fixed)["places"].processes}
    assert places == {(0, (processes[0].loop_offset - processes[0].image_offset) % 64)}
    assert not named(fixed)["places"].variance.HasField("image_offset_share")
    assert "code offset" not in {control.name for control in fixed.result.environment.controls}


def test_a_module_that_cannot_be_moved_stays_and_the_result_says_why(client, modules):
    source = """
static _Alignas(64) char line[64];
BENCH(places)
{
        bench_loop(b)
                line[0]++;
        bench_use(line[0]);
}
"""
    run = client.run(modules(source), quick=True)
    control = next(control for control in run.result.environment.controls if control.name == "code offset")

    assert control.outcome == pb.Control.UNSUPPORTED
    assert {process.image_offset for process in named(run)["places"].processes} == {0}
    assert any("aligned to 64 bytes" in warning for warning in run.result.warnings)


# ---- bodies that take long

SLOW = PASS + """
BENCH(slow, .iterations = 1) { bench_loop(b) simulated_pass(50000000); }
BENCH(fast)                  { bench_loop(b) simulated_pass(100); }
"""


def test_a_budget_takes_samples_first_and_then_processes_and_says_so(simulated, modules):
    run = simulated.run(modules(SLOW), budget_ns=20 * 10**6, warmup_ns=0)
    slow, fast = (named(run)[name] for name in ("slow", "fast"))

    assert run.result.plan.shortened_by == "budget"
    assert (len(slow.processes), slow.samples) == (3, 9)
    assert any("3 of the 12 planned processes" in warning for warning in slow.warnings)
    assert any("fewer than 200 samples" in warning for warning in slow.warnings)
    assert len(fast.processes) == 12, "the budget is of each benchmark"
    assert run.result.verdict in MEASURED
    measuring = [p for p in run.progress if p.stage == pb.Progress.MEASURING]
    assert measuring[0].processes == 24 and measuring[-1].processes == 15


# ---- bad input

BAD = """
static void fill(void *input, uint64_t index, void *ctx)
{
        *(uint64_t *)input = index;
}

BENCH(no_operation)    { bench_ops(b, 0); bench_loop(b) ; }
BENCH(no_operation_in) { bench_loop(b) bench_ops(b, 0); }
BENCH(absurd_ops)      { bench_ops(b, ~0ull); bench_loop(b) ; }
BENCH(greedy)
{
        bench_inputs(b, 8, fill, NULL, NULL);
        bench_loop(b) {
                bench_use(bench_input(b));
                bench_use(bench_input(b));
        }
}
BENCH(negative_items)  { bench_items(b, -1); bench_loop(b) ; }
BENCH(endless_bytes)   { bench_bytes(b, 1.0 / 0.0); bench_loop(b) ; }
BENCH(left_paused)     { bench_loop(b) bench_pause(b); }
BENCH(in_a_loop)       { bench_loop(b) { bench_loop(b) ; } }
BENCH(second_loop)     { bench_loop(b) ; bench_loop(b) ; }
BENCH(iterations, .iterations = 1ull << 60) { bench_loop(b) ; }
BENCH(samples, .samples = 5000)             { bench_loop(b) ; }
BENCH(processes, .processes = 100000)       { bench_loop(b) ; }
BENCH(min_time, .min_time_ns = 1ull << 60)  { bench_loop(b) ; }
BENCH(warmup, .warmup_ms = 1u << 31)        { bench_loop(b) ; }
BENCH(ops, .ops = 1ull << 60)               { bench_loop(b) ; }
BENCH(well)            { bench_loop(b) bench_clobber(); }
"""

WORDS = {
    "no_operation": ("misuse", "bench_ops(b, 0)"),
    "no_operation_in": ("misuse", "bench_ops(b, 0)"),
    "absurd_ops": ("misuse", "bench_ops(b, 18446744073709551615)"),
    "greedy": ("misuse", "bench_input() more than once an iteration"),
    "negative_items": ("misuse", "bench_items(b, -1)"),
    "endless_bytes": ("misuse", "bench_bytes(b, inf)"),
    "left_paused": ("misuse", "bench_pause() without bench_resume()"),
    "in_a_loop": ("second-loop", "the second stands within the first"),
    "second_loop": ("second-loop", "the second stands after the first"),
    "iterations": ("misuse", ".iterations is 1152921504606846976, of at most"),
    "samples": ("misuse", ".samples is 5000, of at most 4096"),
    "processes": ("misuse", ".processes is 100000, of at most 1000"),
    "min_time": ("misuse", ".min_time_ns is"),
    "warmup": ("misuse", ".warmup_ms is 2147483648, of at most 3600000"),
    "ops": ("misuse", ".ops is"),
}


def test_what_cannot_be_timed_is_said_in_words_of_its_own(client, modules):
    results = named(client.run(modules(BAD), quick=True))

    assert not results.pop("well").HasField("failed")
    assert set(results) == set(WORDS)
    for name, (code, words) in WORDS.items():
        failed = results[name].failed
        assert failed.code == code, failed.message
        assert words in failed.message
    messages = [result.failed.message for result in results.values()]
    assert len(set(messages)) == len(messages) - 1, "only the two without operations say the same"


@pytest.mark.parametrize("options", [dict(iterations=0), dict(iterations=1 << 60), dict(samples=0), dict(processes=0)],
                         ids=str)
def test_counts_that_cannot_be_are_refused_with_their_range(client, built, options):
    with pytest.raises(Failed) as failed:
        client.run(built, **options)
    assert failed.value.code == "BAD_REQUEST"
    assert next(iter(options)) in failed.value.message and "not from" in failed.value.message

# SPDX-License-Identifier: GPL-3.0-or-later
"""What a loop can leave out of its time: pauses, prepared inputs, resets."""

import pytest

from support.tree import PASS

TOUCHES = "record inputs include/benchd/bench.h"


def test_a_pause_and_what_it_encloses_are_left_out(simulated, modules):
    """By the simulated clock; how much an empty pause leaves on this machine, tests/bench/accuracy measures."""
    run = simulated.run(modules(PASS + """
static void reset(struct bench *b) { (void)b; simulated_pass(5000); }
BENCH(plain)  { bench_loop(b) { simulated_pass(1000); } }
BENCH(empty)  { bench_loop(b) { simulated_pass(1000); bench_pause(b); bench_resume(b); } }
BENCH(paused) { bench_loop(b) { simulated_pass(300); bench_pause(b); simulated_pass(5000); bench_resume(b); simulated_pass(700); } }
BENCH(reset_is_left_out, .iterations = 1, .reset = reset) { bench_loop(b) simulated_pass(1000); }
"""), quick=True)

    assert {name.split("/")[1] for name in run.benchmarks} == {"plain", "empty", "paused", "reset_is_left_out"}
    for result in run.benchmarks.values():
        assert result.time_ns.raw.min == pytest.approx(1000) and result.time_ns.raw.max == pytest.approx(1000)


INPUTS = """
#include <string.h>

static void fill(void *input, uint64_t index, void *ctx)
{
        (void)ctx;
        *(uint64_t *)input = index + 1;
}

static void drop(void *input, void *ctx)
{
        if (*(uint64_t *)input != 0)
                ++*(uint64_t *)ctx;
}

BENCH(each_once)
{
        uint64_t untouched = 0, wrong = 0;

        bench_inputs(b, sizeof(uint64_t), fill, drop, &untouched);
        bench_loop(b) {
                uint64_t *input = bench_input(b);

                wrong += *input != bench_index(b) + 1;
                *input = 0;
        }
        bench_counter(b, "wrong", wrong);
        bench_counter(b, "untouched", untouched);
}

BENCH(large)
{
        static uint64_t n;

        bench_inputs(b, 100000, fill, NULL, NULL);
        bench_loop(b)
                bench_use(n += *(uint64_t *)bench_input(b));
}
"""


def test_inputs_are_made_before_a_batch_and_dropped_after_it_each_once(client, modules):
    run = client.run(modules(INPUTS), quick=True)
    result = next(r for name, r in run.benchmarks.items() if "each_once" in name)
    assert {counter.name: counter.value for counter in result.counters} == {"wrong": 0, "untouched": 0}


def test_inputs_that_fill_the_cache_bound_the_batch_and_it_is_said(client, modules):
    run = client.run(modules(INPUTS), quick=True)
    result = next(r for name, r in run.benchmarks.items() if "large" in name)
    assert result.iterations_per_sample < 1000
    assert any("prepared inputs" in warning for warning in result.warnings)


def test_a_reset_follows_every_batch_of_a_given_length(client, modules):
    module = modules("""
static uint64_t state, largest, n_resets;

static void reset(struct bench *b)
{
        (void)b;
        largest = state > largest ? state : largest;
        state = 0;
        n_resets++;
}

BENCH(one, .reset = reset)
{
        bench_loop(b)
                state++;
        bench_counter(b, "largest", largest);
        bench_counter(b, "resets", n_resets > 20);
}

BENCH(many, .reset = reset, .iterations = 100)
{
        bench_loop(b)
                state++;
        bench_counter(b, "largest", largest);
        bench_counter(b, "resets", n_resets > 20);
}
""")
    run = client.run(module, quick=True)
    for name, length in (("one", 1), ("many", 100)):
        result = next(r for full, r in run.benchmarks.items() if full.endswith(name))
        assert {counter.name: counter.value for counter in result.counters} == {"largest": length, "resets": 1}
        assert result.iterations_per_sample == length

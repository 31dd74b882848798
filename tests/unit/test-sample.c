/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sample: its class by what marked it, and its time, by numbers that are exact. */

#include "front/samples/sample.h"

#include "clock/ruler.h"
#include "test.h"

TEST(the_class_of_a_sample_is_that_of_its_worst_mark) {
        static const struct {
                uint32_t flags;
                SampleClass class;
        } rows[] = {
                { 0, SAMPLE_CLASS_UNDISTURBED },
                { MARK_FAULTED, SAMPLE_CLASS_UNDISTURBED },
                { MARK_INTERRUPTED | MARK_FAULTED, SAMPLE_CLASS_QUIET },
                { MARK_FREQUENCY, SAMPLE_CLASS_QUIET },
                { MARK_PREEMPTED, SAMPLE_CLASS_TAKEN },
                { MARK_MIGRATED, SAMPLE_CLASS_TAKEN },
                { MARK_UNATTRIBUTED | MARK_INTERRUPTED, SAMPLE_CLASS_TAKEN },
                { MARK_STOLEN, SAMPLE_CLASS_TAKEN },
                { MARK_BESIDE_SHARED, SAMPLE_CLASS_BESIDE },
                { MARK_BESIDE_SHARED | MARK_STOLEN, SAMPLE_CLASS_TAKEN },
                { MARK_SHARED, SAMPLE_CLASS_SHARED },
                { MARK_SHARED | MARK_BESIDE_SHARED | MARK_PREEMPTED, SAMPLE_CLASS_SHARED },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(sample_class(&(Sample){ .flags = rows[i].flags }), rows[i].class);
}

static const ClockFacts clock_facts = { .hz = 1e9,
        .batch_cost_ticks = 40,
        .ruler_turns = 1000,
        .ruler_cost_ticks = 10 };

static SampleBlock block = { .n_threads = 1, .threads[0].ops_per_iteration = 2 };

TEST(a_time_is_that_of_one_operation_without_pauses_and_cost) {
        const Sample sample = { .iterations = 100, .ticks = 40 + 300 + 1000, .paused_ticks = 300 };

        assert_true(sample_net_ticks(&sample, &clock_facts) == 1000);
        assert_true(sample_operation_ns(&block, &sample, &clock_facts) == 5);
}

TEST(a_time_that_the_body_told_is_taken_as_it_is) {
        const Sample sample = { .iterations = 100,
                .ticks = 1340,
                .paused_ticks = 300,
                .ruler_before_ticks = 110010,
                .ruler_after_ticks = 110010,
                .manual_ns = 7000 };
        Sample by_ticks = sample;

        by_ticks.manual_ns = 0;
        assert_true(sample_is_manual(&sample) && !sample_is_manual(&by_ticks));
        assert_true(sample_operation_ns(&block, &sample, &clock_facts) == 35);
        assert_true(sample_operation_ns(&block, &by_ticks, &clock_facts) == 5);
        assert_true(isnan(sample_core_hz(&sample, &clock_facts)) && isfinite(sample_core_hz(&by_ticks, &clock_facts)));
}

TEST(a_ruler_that_was_stretched_tells_no_frequency) {
        Sample sample = { .iterations = 1, .ticks = 1340, .ruler_before_ticks = 110010, .ruler_after_ticks = 110010 };
        const double hz = sample_core_hz(&sample, &clock_facts);

        sample.ruler_after_ticks = 400000;
        assert_true(sample_core_hz(&sample, &clock_facts) == hz);
        sample.ruler_after_ticks = 110010;
        sample.ruler_before_ticks = 400000;
        assert_true(sample_core_hz(&sample, &clock_facts) == hz);
        sample.ruler_before_ticks = 130010; /* a frequency that changed: the mean of both */
        assert_true(sample_core_hz(&sample, &clock_facts) < hz);
}

TEST(the_empty_loop_costs_the_median_of_its_batches) {
        const uint64_t ruler = 10 + 1000 * RULER_STEP; /* of a core as fast as the counter */
        SampleLoopCost cost;

        block.n_loop_samples = 0;
        cost = sample_loop_cost(&block, &clock_facts);
        assert_true(cost.ns == 0 && cost.cycles == 0);

        block.n_loop_samples = 3;
        for (uint32_t i = 0; i < 3; i++)
                block.loop_samples[i] = (Sample){
                        .iterations = 100,
                        .ticks = 40 + 200 * (i + 1),
                        .ruler_before_ticks = ruler,
                        .ruler_after_ticks = ruler,
                };
        cost = sample_loop_cost(&block, &clock_facts);
        assert_true(cost.ns == 2 && fabs(cost.cycles - 2) < 1e-9);
        block.loop_samples[2].ruler_after_ticks = 0;
        cost = sample_loop_cost(&block, &clock_facts);
        assert_true(cost.ns == 2 && isnan(cost.cycles));
}

TEST(a_sequence_lasts_from_the_first_start_to_the_last_end) {
        block.n_samples = 2;
        block.samples[0] = (Sample){ .start_ticks = 1000, .ticks = 100 };
        block.samples[1] = (Sample){ .start_ticks = 1500, .ticks = 200 };
        assert_true(sample_sequence_ns(&block, &clock_facts) == 700);
}

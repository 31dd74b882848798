/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ops/block.h"
#include "runner/time/body.h"
#include "runner/time/team.h"

#include "test.h"

static SampleBlock block;

TEST(each_thread_keeps_what_it_told_of_its_own_iterations) {
        block = (SampleBlock){};
        for (uint32_t i = 0; i < 3; i++)
                assert_true(team_tally_add(&block, i,
                                &(BodyTold){ .thread = { 1 + i, 10 * i, 100 * i }, .loop_address = 64 + i }));
        for (uint32_t i = 0; i < 3; i++) {
                assert_float_equal(block.threads[i].ops_per_iteration, 1 + i, 0);
                assert_float_equal(block.threads[i].items_per_iteration, 10 * i, 0);
                assert_float_equal(block.threads[i].bytes_per_iteration, 100 * i, 0);
        }
        assert_int_equal(block.loop_address, 64);
}

TEST(counters_of_one_name_are_added_up) {
        const SampleCounter first[] = { { "hits", 3 }, { "misses", 1 } }, second[] = { { "hits", 4 }, { "waits", 2 } };

        block = (SampleBlock){};
        assert_true(team_tally_add(&block, 0, &(BodyTold){ .counters = first, .n_counters = 2 }));
        assert_true(team_tally_add(&block, 1, &(BodyTold){ .counters = second, .n_counters = 2 }));
        assert_int_equal(block.n_counters, 3);
        assert_string_equal(block.counters[0].name, "hits");
        assert_float_equal(block.counters[0].value, 7, 0);
        assert_float_equal(block.counters[1].value, 1, 0);
        assert_string_equal(block.counters[2].name, "waits");
        assert_float_equal(block.counters[2].value, 2, 0);
}

TEST(a_counter_within_the_loop_has_the_mean_of_its_samples) {
        const SampleCounter counted[] = { { .name = "faults" }, { .name = "hits" } };

        block = (SampleBlock){ .n_samples = 2, .counts = { { 1, 10 }, { 4, 20 }, { 100, 100 } } };
        assert_true(team_tally_add(&block, 0, &(BodyTold){ .counted = counted, .n_counted = 2 }));
        assert_int_equal(block.n_counted, 2);
        assert_string_equal(block.counted[1], "hits");
        assert_int_equal(block.n_counters, 2);
        assert_string_equal(block.counters[0].name, "faults");
        assert_float_equal(block.counters[0].value, 2.5, 0);
        assert_float_equal(block.counters[1].value, 15, 0);
}

TEST(a_name_too_many_is_told) {
        SampleCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];

        block = (SampleBlock){};
        for (uint32_t i = 0; i < SAMPLE_BLOCK_COUNTERS_MAX; i++)
                snprintf(counters[i].name, sizeof counters[i].name, "c%u", i);
        assert_true(team_tally_add(&block, 0,
                        &(BodyTold){ .counters = counters, .n_counters = SAMPLE_BLOCK_COUNTERS_MAX }));
        assert_true(team_tally_add(&block, 1, &(BodyTold){ .counters = counters, .n_counters = 5 }));
        assert_false(team_tally_add(&block, 2,
                        &(BodyTold){ .counters = &(SampleCounter){ "more", 1 }, .n_counters = 1 }));
        assert_int_equal(block.n_counters, SAMPLE_BLOCK_COUNTERS_MAX);
}

TEST(the_fewest_inputs_bound_a_batch) {
        static const uint32_t most[] = { 0, 50, 20, 0, 30 };

        block = (SampleBlock){};
        for (uint32_t i = 0; i < 5; i++)
                assert_true(team_tally_add(&block, i, &(BodyTold){ .inputs_max = most[i] }));
        assert_int_equal(block.inputs_max, 20);
}

TEST(the_label_is_that_of_the_first_thread_that_gave_one) {
        static const char *const labels[] = { NULL, "", "avx2", "sse" };

        block = (SampleBlock){};
        for (uint32_t i = 0; i < 4; i++)
                assert_true(team_tally_add(&block, i, &(BodyTold){ .label = labels[i] }));
        assert_string_equal(block.label, "avx2");
}

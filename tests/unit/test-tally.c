/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ops/sample-block.h"
#include "runner/body.h"
#include "runner/tally.h"

static SampleBlock block;

static void each_thread_keeps_what_it_told_of_its_own_iterations(void **state) {
        block = (SampleBlock){};
        for (uint32_t i = 0; i < 3; i++)
                assert_true(tally_add(&block, i,
                                &(BodyTold){ .thread = { 1 + i, 10 * i, 100 * i }, .loop_address = 64 + i }));
        for (uint32_t i = 0; i < 3; i++) {
                assert_float_equal(block.threads[i].ops_per_iteration, 1 + i, 0);
                assert_float_equal(block.threads[i].items_per_iteration, 10 * i, 0);
                assert_float_equal(block.threads[i].bytes_per_iteration, 100 * i, 0);
        }
        assert_int_equal(block.loop_address, 64);
}

static void counters_of_one_name_are_added_up(void **state) {
        const SampleCounter first[] = { { "hits", 3 }, { "misses", 1 } }, second[] = { { "hits", 4 }, { "waits", 2 } };

        block = (SampleBlock){};
        assert_true(tally_add(&block, 0, &(BodyTold){ .counters = first, .n_counters = 2 }));
        assert_true(tally_add(&block, 1, &(BodyTold){ .counters = second, .n_counters = 2 }));
        assert_int_equal(block.n_counters, 3);
        assert_string_equal(block.counters[0].name, "hits");
        assert_float_equal(block.counters[0].value, 7, 0);
        assert_float_equal(block.counters[1].value, 1, 0);
        assert_string_equal(block.counters[2].name, "waits");
        assert_float_equal(block.counters[2].value, 2, 0);
}

static void a_name_too_many_is_told(void **state) {
        SampleCounter counters[SAMPLE_BLOCK_COUNTERS_MAX];

        block = (SampleBlock){};
        for (uint32_t i = 0; i < SAMPLE_BLOCK_COUNTERS_MAX; i++)
                snprintf(counters[i].name, sizeof counters[i].name, "c%u", i);
        assert_true(tally_add(&block, 0, &(BodyTold){ .counters = counters, .n_counters = SAMPLE_BLOCK_COUNTERS_MAX }));
        assert_true(tally_add(&block, 1, &(BodyTold){ .counters = counters, .n_counters = 5 }));
        assert_false(tally_add(&block, 2, &(BodyTold){ .counters = &(SampleCounter){ "more", 1 }, .n_counters = 1 }));
        assert_int_equal(block.n_counters, SAMPLE_BLOCK_COUNTERS_MAX);
}

static void the_fewest_inputs_bound_a_batch(void **state) {
        static const uint32_t most[] = { 0, 50, 20, 0, 30 };

        block = (SampleBlock){};
        for (uint32_t i = 0; i < 5; i++)
                assert_true(tally_add(&block, i, &(BodyTold){ .inputs_max = most[i] }));
        assert_int_equal(block.inputs_max, 20);
}

static void the_label_is_that_of_the_first_thread_that_gave_one(void **state) {
        static const char *const labels[] = { NULL, "", "avx2", "sse" };

        block = (SampleBlock){};
        for (uint32_t i = 0; i < 4; i++)
                assert_true(tally_add(&block, i, &(BodyTold){ .label = labels[i] }));
        assert_string_equal(block.label, "avx2");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_thread_keeps_what_it_told_of_its_own_iterations),
                cmocka_unit_test(counters_of_one_name_are_added_up),
                cmocka_unit_test(a_name_too_many_is_told),
                cmocka_unit_test(the_fewest_inputs_bound_a_batch),
                cmocka_unit_test(the_label_is_that_of_the_first_thread_that_gave_one),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "arena.h"
#include "front/base/arena.h"
#include "front/samples/throughput.h"

static SampleBlock block;
static double times_ns[12];

/* Four batches of three threads, of which the second takes twice as long and the third four times. */
static void fill(void) {
        block = (SampleBlock){ .n_threads = 3, .n_samples = 12 };
        for (uint32_t i = 0; i < 12; i++) {
                block.samples[i] = (Sample){ .ticks = 1, .iterations = 1, .thread = i % 3 };
                times_ns[i] = 10 << i % 3;
        }
        for (uint32_t i = 0; i < 3; i++)
                block.threads[i].ops_per_iteration = 1;
}

/* What comes of it by @n_processes alike; NaN where nothing does. */
static void report(unsigned n_processes, double *ret_items, double *ret_bytes) {
        Throughput throughput = {};
        Benchd__Throughput *message = NULL;

        for (unsigned i = 0; i < n_processes; i++)
                assert_int_equal(throughput_add(&throughput, &block, times_ns, SAMPLE_CLASS_UNDISTURBED), 0);
        assert_int_equal(throughput_report(&throughput, true, arena, &message), 0);
        *ret_items = message && message->has_items_per_second ? message->items_per_second : NAN;
        *ret_bytes = message && message->has_bytes_per_second ? message->bytes_per_second : NAN;
}

TEST(the_rate_is_the_sum_of_what_each_thread_does_at_its_own_pace) {
        double items, bytes;

        fill();
        for (uint32_t i = 0; i < 3; i++)
                block.threads[i].items_per_iteration = 1 + i;
        report(3, &items, &bytes);
        assert_float_equal(items, 1 / 10e-9 + 2 / 20e-9 + 3 / 40e-9, 1);
        assert_true(isnan(bytes));
}

TEST(what_one_thread_alone_told_is_counted_once) {
        double items, bytes;

        fill();
        block.threads[1].bytes_per_iteration = 8;
        report(2, &items, &bytes);
        assert_true(isnan(items));
        assert_float_equal(bytes, 8 / 20e-9, 1);
}

TEST(an_iteration_lasts_as_long_as_its_own_operations) {
        double items, bytes;

        fill();
        block.threads[2].ops_per_iteration = 5;
        block.threads[2].items_per_iteration = 1;
        report(1, &items, &bytes);
        assert_float_equal(items, 1 / 200e-9, 1);
}

TEST(disturbed_samples_count_where_a_thread_has_no_other) {
        double items, bytes;

        fill();
        block.threads[0].items_per_iteration = block.threads[1].items_per_iteration = 1;
        block.samples[0].flags = MARK_PREEMPTED;
        times_ns[0] = 1e6;
        for (uint32_t i = 1; i < 12; i += 3)
                block.samples[i].flags = MARK_INTERRUPTED;
        report(1, &items, &bytes);
        assert_float_equal(items, 1 / 10e-9 + 1 / 20e-9, 1);
}

TEST(the_rate_while_shared_is_of_all_samples_of_all_processes) {
        Throughput throughput = {};
        Benchd__Throughput *message = NULL;

        fill();
        block.threads[0].items_per_iteration = 1;
        assert_int_equal(throughput_add(&throughput, &block, times_ns, SAMPLE_CLASS_QUIET), 0);
        for (uint32_t i = 0; i < 12; i++) {
                block.samples[i].flags = MARK_SHARED;
                times_ns[i] *= 4;
        }
        assert_int_equal(throughput_add(&throughput, &block, times_ns, SAMPLE_CLASS_TAKEN), 0);
        assert_int_equal(throughput_report(&throughput, true, arena, &message), 0);
        assert_float_equal(message->items_per_second, 1 / 10e-9, 1);
        assert_int_equal(throughput_report(&throughput, false, arena, &message), 0);
        assert_float_equal(message->items_per_second, 1 / 20e-9, 1);
}

TEST(there_is_none_where_nothing_was_told_or_a_time_is_not_above_zero) {
        double items, bytes;

        fill();
        report(3, &items, &bytes);
        assert_true(isnan(items) && isnan(bytes));
        block.threads[0].items_per_iteration = 1;
        for (uint32_t i = 0; i < 12; i++)
                times_ns[i] = -1;
        report(3, &items, &bytes);
        assert_true(isnan(items) && isnan(bytes));
        report(0, &items, &bytes);
        assert_true(isnan(items) && isnan(bytes));
}

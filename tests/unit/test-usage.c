/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "ops/sample-block.h"
#include "runner/usage.h"

#include "test.h"

#define BOTH (DETECTOR_CANARY | DETECTOR_RSEQ)

TEST(what_a_detector_did_not_see_where_it_was_timed_was_in_a_pause) {
        static const struct {
                uint32_t detectors, flags;
                uint64_t preempted; /* beside one fault and one wait */
                uint64_t faults_left, blocked_left, preempted_left;
        } rows[] = {
                { BOTH, 0, 1, 0, 0, 0 },
                { BOTH, MARK_INTERRUPTED, 1, 1, 0, 0 },
                { BOTH, MARK_PREEMPTED, 0, 0, 1, 0 },
                { BOTH, MARK_PREEMPTED, 1, 0, 0, 1 }, /* which explains the flag */
                { BOTH, MARK_INTERRUPTED | MARK_PREEMPTED, 0, 1, 1, 0 },
                { DETECTOR_CANARY, 0, 1, 0, 1, 1 },
                { DETECTOR_RSEQ, 0, 1, 1, 0, 0 },
                { 0, 0, 1, 1, 1, 1 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Usage usage = { .faults = 1,
                        .blocked = 1,
                        .preempted = rows[i].preempted,
                        .waited = true,
                        .switched = true,
                        .output_bytes = 1 };

                usage_forgive_untimed(&usage, rows[i].detectors, rows[i].flags);
                assert_int_equal(usage.faults, rows[i].faults_left);
                assert_int_equal(usage.blocked, rows[i].blocked_left);
                assert_int_equal(usage.preempted, rows[i].preempted_left);
                assert_true(usage.waited && usage.output_bytes == 1);
                assert_false(usage_is_stolen(&usage, 1e9)); /* the CPU was another's */
        }
}

TEST(time_that_nobody_charged_the_thread_with_was_stolen) {
        static const struct {
                Usage usage;
                double batch_ns;
                bool stolen;
        } rows[] = {
                { { .cpu_ns = 100000 }, 100000, false },
                { { .cpu_ns = 102000 }, 100000, false }, /* the readings around it are charged too */
                { { .cpu_ns = 100000 }, 110000, false }, /* finer than the accounts are */
                { { .cpu_ns = 100000 }, 150000, true },
                { { .cpu_ns = 100000, .switched = true }, 150000, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(usage_is_stolen(&rows[i].usage, rows[i].batch_ns), rows[i].stolen);
}

TEST(its_flags_are_what_is_left) {
        assert_int_equal(usage_flags(&(Usage){ .blocked = 1, .waited = true }), 0);
        assert_int_equal(usage_flags(&(Usage){ .faults = 1 }), MARK_FAULTED);
        assert_int_equal(usage_flags(&(Usage){ .preempted = 1 }), MARK_PREEMPTED);
}

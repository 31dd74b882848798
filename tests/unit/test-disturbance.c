/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/disturbance.h"

static void add(Disturbance *disturbance, uint32_t flags, double ns) {
        const Sample sample = { .ticks = 1, .iterations = 1, .flags = flags };

        disturbance_add(disturbance, &sample, ns, 100);
}

static void faults_are_a_programs_own_work(void **state) {
        assert_true(disturbance_is_none(&(Sample){ .flags = SAMPLE_FLAG_FAULTED }));
        assert_false(disturbance_is_none(&(Sample){ .flags = SAMPLE_FLAG_FAULTED | SAMPLE_FLAG_INTERRUPTED }));
        assert_true(disturbance_is_none(&(Sample){}));
}

static void interrupts_alone_never_make_it_unfit(void **state) {
        Disturbance disturbance = {};

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_FAULTED | SAMPLE_FLAG_FREQUENCY, 300);
        assert_int_equal(disturbance_judge(&disturbance, 0.001), DISTURBANCE_FIT);
        assert_int_equal(disturbance.n_disturbed, 100);
}

static void time_taken_over_two_percent_makes_it_unfit(void **state) {
        static const uint32_t takers[] = { SAMPLE_FLAG_PREEMPTED, SAMPLE_FLAG_MIGRATED, SAMPLE_FLAG_UNATTRIBUTED };

        for (unsigned i = 0; i < 3; i++) {
                Disturbance disturbance = {};

                for (unsigned j = 0; j < 99; j++)
                        add(&disturbance, 0, 100);
                add(&disturbance, takers[i], 300); /* 200 of 10 200 */
                assert_int_equal(disturbance_judge(&disturbance, NAN), DISTURBANCE_FIT);
                add(&disturbance, takers[i], 200); /* 300 of 10 400 */
                assert_int_equal(disturbance_judge(&disturbance, NAN), DISTURBANCE_TIME);
        }
}

static SampleBlock block;
static const ClockFacts clock_facts = { .hz = 1e9,
        .batch_cost_ticks = 40,
        .detectors = DETECTOR_CANARY | DETECTOR_RSEQ };

/* Twenty samples of ten iterations: those at the end, @n_marked of them, have @flags and last @longer. */
static void fill(uint32_t n_marked, uint32_t flags, double longer) {
        block = (SampleBlock){ .n_samples = 20, .n_threads = 1, .threads = { { .ops_per_iteration = 1 } } };
        for (uint32_t i = 0; i < 20; i++) {
                bool marked = i >= 20 - n_marked;

                block.samples[i] =
                                (Sample){ .iterations = 10, .ticks = 40 + 10000 + 10 * i, .flags = marked ? flags : 0 };
                if (marked)
                        block.samples[i].ticks = 40 + 10000 * longer;
        }
}

static Disturbance processes(unsigned n, uint32_t n_marked, uint32_t flags, double longer) {
        Disturbance disturbance = {};
        double share;

        fill(n_marked, flags, longer);
        for (unsigned i = 0; i < n; i++) {
                assert_int_equal(disturbance_add_process(&disturbance, &block, &clock_facts, 1000, &share), 0);
                assert_true(fabs(share - n_marked / 20.0) < 1e-12);
        }
        return disturbance;
}

/*
 * All 20 have the median 10095; without the last 8, of 10000 to 10110, it is 10055: 0.4 % less. That costs little time, but
 * it moves the estimate.
 */
static void estimates_further_apart_than_the_interval_make_it_unfit(void **state) {
        Disturbance disturbance = processes(5, 8, SAMPLE_FLAG_PREEMPTED, 1.02);

        assert_int_equal(disturbance_judge(&disturbance, 0.005), DISTURBANCE_FIT);
        assert_int_equal(disturbance_judge(&disturbance, 0.003), DISTURBANCE_APART);
        disturbance = processes(5, 8, SAMPLE_FLAG_FREQUENCY, 1.02);
        assert_int_equal(disturbance_judge(&disturbance, 0.003), DISTURBANCE_APART);
}

static void estimates_that_only_interrupts_drive_apart_are_fit(void **state) {
        Disturbance disturbance = processes(5, 8, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_FAULTED, 1.02);

        assert_int_equal(disturbance_judge(&disturbance, 1e-9), DISTURBANCE_FIT);
}

static void without_an_interval_the_estimates_are_not_held_against_it(void **state) {
        Disturbance disturbance = processes(2, 8, SAMPLE_FLAG_PREEMPTED, 1.02);

        assert_int_equal(disturbance_judge(&disturbance, NAN), DISTURBANCE_FIT);
}

static void what_leaves_too_few_samples_is_no_estimate(void **state) {
        Disturbance disturbance = processes(5, 11, SAMPLE_FLAG_FREQUENCY, 1.02);

        assert_int_equal(disturbance_judge(&disturbance, 1e-9), DISTURBANCE_FIT);
}

/* Twenty samples, in each a long pause in which others ran, and that alone. */
static void what_others_take_of_a_pause_is_taken_from_nothing(void **state) {
        Disturbance disturbance = {};
        double share;

        fill(0, 0, 1);
        for (uint32_t i = 0; i < 20; i++) {
                block.samples[i].ticks = 40 + 10000 + 1000000;
                block.samples[i].paused_ticks = 1000000;
                block.samples[i].flags = SAMPLE_FLAG_PREEMPTED;
        }
        assert_int_equal(disturbance_add_process(&disturbance, &block, &clock_facts, 1004, &share), 0);
        assert_int_equal(disturbance_judge(&disturbance, NAN), DISTURBANCE_FIT);
        block.samples[0].paused_ticks = 0;
        assert_int_equal(disturbance_add_process(&disturbance, &block, &clock_facts, 1004, &share), 0);
        assert_int_equal(disturbance_judge(&disturbance, NAN), DISTURBANCE_TIME);
}

static void report(const Disturbance *disturbance, double interval, Arena *arena, Benchd__Disturbed **ret_message,
                TextList *warnings) {
        assert_int_equal(disturbance_report(disturbance, interval, arena, ret_message, warnings), 0);
}

static void the_report_counts_each_cause_and_is_absent_without_detectors(void **state) {
        Disturbance disturbance = {};
        Benchd__Disturbed *message = NULL;
        TextList warnings = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED, 100);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_PREEMPTED, 100);
        add(&disturbance, SAMPLE_FLAG_MIGRATED, 100);
        add(&disturbance, 0, 100);
        report(&disturbance, NAN, arena, &message, &warnings);
        assert_null(message);

        disturbance.detectors = DETECTOR_CANARY | DETECTOR_RSEQ;
        report(&disturbance, NAN, arena, &message, &warnings);
        assert_true(fabs(message->fraction - 0.75) < 1e-12);
        assert_int_equal(message->interrupted, 2);
        assert_int_equal(message->preempted, 1);
        assert_int_equal(message->migrated, 1);
        assert_int_equal(message->unattributed, 0);
        assert_int_equal(message->n_switched_off, 0);
        assert_false(message->unfit);
        assert_int_equal(warnings.n, 0);
        arena_free(arena);
}

static void the_report_names_what_was_switched_off_and_why_it_is_unfit(void **state) {
        Disturbance disturbance = processes(5, 8, SAMPLE_FLAG_PREEMPTED, 1.02);
        Benchd__Disturbed *message = NULL;
        TextList warnings = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        disturbance.switched_off = DETECTOR_CANARY;
        report(&disturbance, 0.003, arena, &message, &warnings);
        assert_int_equal(message->n_switched_off, 1);
        assert_string_equal(message->switched_off[0], "canary");
        assert_true(message->unfit);
        assert_int_equal(warnings.n, 2);
        assert_non_null(strstr(warnings.texts[0], "unfit"));
        assert_non_null(strstr(warnings.texts[1], "faults pages"));
        arena_free(arena);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(faults_are_a_programs_own_work),
                cmocka_unit_test(interrupts_alone_never_make_it_unfit),
                cmocka_unit_test(time_taken_over_two_percent_makes_it_unfit),
                cmocka_unit_test(estimates_further_apart_than_the_interval_make_it_unfit),
                cmocka_unit_test(estimates_that_only_interrupts_drive_apart_are_fit),
                cmocka_unit_test(without_an_interval_the_estimates_are_not_held_against_it),
                cmocka_unit_test(what_leaves_too_few_samples_is_no_estimate),
                cmocka_unit_test(what_others_take_of_a_pause_is_taken_from_nothing),
                cmocka_unit_test(the_report_counts_each_cause_and_is_absent_without_detectors),
                cmocka_unit_test(the_report_names_what_was_switched_off_and_why_it_is_unfit),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

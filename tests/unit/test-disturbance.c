/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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
        assert_false(disturbance_is_unfit(&disturbance));
        assert_int_equal(disturbance.n_disturbed, 100);
}

static void time_taken_over_two_percent_makes_it_unfit(void **state) {
        static const uint32_t takers[] = { SAMPLE_FLAG_PREEMPTED, SAMPLE_FLAG_MIGRATED, SAMPLE_FLAG_UNATTRIBUTED };

        for (unsigned i = 0; i < 3; i++) {
                Disturbance disturbance = {};

                for (unsigned j = 0; j < 99; j++)
                        add(&disturbance, 0, 100);
                add(&disturbance, takers[i], 300); /* 200 of 10 200 */
                assert_false(disturbance_is_unfit(&disturbance));
                add(&disturbance, takers[i], 200); /* 300 of 10 400 */
                assert_true(disturbance_is_unfit(&disturbance));
        }
}

static void the_report_counts_each_cause_and_is_absent_without_detectors(void **state) {
        Benchd__Disturbed *message = NULL;
        Disturbance disturbance = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED, 100);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_PREEMPTED, 100);
        add(&disturbance, SAMPLE_FLAG_MIGRATED, 100);
        add(&disturbance, 0, 100);
        assert_int_equal(disturbance_report(&disturbance, arena, &message), 0);
        assert_null(message);

        disturbance_note_detectors(&disturbance, DETECTOR_CANARY | DETECTOR_RSEQ);
        assert_int_equal(disturbance_report(&disturbance, arena, &message), 0);
        assert_true(fabs(message->fraction - 0.75) < 1e-12);
        assert_int_equal(message->interrupted, 2);
        assert_int_equal(message->preempted, 1);
        assert_int_equal(message->migrated, 1);
        assert_int_equal(message->unattributed, 0);
        arena_free(arena);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(faults_are_a_programs_own_work),
                cmocka_unit_test(interrupts_alone_never_make_it_unfit),
                cmocka_unit_test(time_taken_over_two_percent_makes_it_unfit),
                cmocka_unit_test(the_report_counts_each_cause_and_is_absent_without_detectors),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/samples/disturbance.h"

static void add(Disturbance *disturbance, uint32_t flags, double ns) {
        const Sample sample = { .ticks = 1, .iterations = 1, .flags = flags };

        disturbance_add(disturbance, &sample, ns, 100);
}

static void interrupts_alone_never_make_it_unfit(void **state) {
        Disturbance disturbance = {};

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_FAULTED | SAMPLE_FLAG_FREQUENCY, 300);
        assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_FIT);
        assert_int_equal(disturbance.n_disturbed, 100);
}

static void time_taken_over_two_percent_makes_it_unfit(void **state) {
        static const uint32_t takers[] = { SAMPLE_FLAG_PREEMPTED, SAMPLE_FLAG_MIGRATED, SAMPLE_FLAG_UNATTRIBUTED,
                SAMPLE_FLAG_STOLEN };

        for (unsigned i = 0; i < sizeof takers / sizeof *takers; i++) {
                Disturbance disturbance = {};

                for (unsigned j = 0; j < 99; j++)
                        add(&disturbance, 0, 100);
                add(&disturbance, takers[i], 300); /* 200 of 10 200 */
                assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_FIT);
                add(&disturbance, takers[i], 200); /* 300 of 10 400 */
                assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_TIME);
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

        fill(n_marked, flags, longer);
        for (unsigned i = 0; i < n; i++)
                assert_true(fabs(disturbance_add_process(&disturbance, &block, &clock_facts, 1000).disturbed -
                                            n_marked / 20.0) < 1e-12);
        return disturbance;
}

/* However far apart its samples and those left are: no interval is asked for. */
static void what_costs_little_time_is_fit(void **state) {
        static const uint32_t flags[] = { SAMPLE_FLAG_PREEMPTED, SAMPLE_FLAG_FREQUENCY, SAMPLE_FLAG_INTERRUPTED };

        for (size_t i = 0; i < 3; i++) {
                Disturbance disturbance = processes(5, 8, flags[i], 1.02);

                assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_FIT);
        }
}

static void a_core_that_was_shared_nearly_always_makes_it_unfit(void **state) {
        static const struct {
                unsigned n_shared, n_beside, n_quiet;
                bool alone;
                DisturbanceVerdict verdict;
        } rows[] = {
                { 0, 0, 100, true, DISTURBANCE_FIT },
                { 30, 0, 70, true, DISTURBANCE_FIT },
                { 80, 10, 10, true, DISTURBANCE_FIT },
                { 80, 11, 9, true, DISTURBANCE_SELDOM },
                { 97, 0, 3, false, DISTURBANCE_SHARED },
                { 60, 0, 40, false, DISTURBANCE_SHARED }, /* in too few processes */
                { 100, 0, 0, false, DISTURBANCE_SHARED },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = {};

                for (unsigned j = 0; j < rows[i].n_shared; j++)
                        add(&disturbance, SAMPLE_FLAG_SHARED | SAMPLE_FLAG_FREQUENCY, 150);
                for (unsigned j = 0; j < rows[i].n_beside; j++)
                        add(&disturbance, SAMPLE_FLAG_NEXT_SHARED | SAMPLE_FLAG_FREQUENCY, 100);
                for (unsigned j = 0; j < rows[i].n_quiet; j++)
                        add(&disturbance, j % 2 ? SAMPLE_FLAG_INTERRUPTED : 0, 100);
                assert_int_equal(disturbance_judge(&disturbance, rows[i].alone), rows[i].verdict);
                assert_int_equal(disturbance.n_shared, rows[i].n_shared);
                assert_int_equal(disturbance.n_quiet, rows[i].n_quiet);
                assert_int_equal(disturbance.n_frequency, 0);
        }
}

/* Long batches are preempted nearly always, and lose a thousandth by it. */
static void batches_that_are_always_preempted_are_judged_by_the_time_that_took(void **state) {
        Disturbance disturbance = {};

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, SAMPLE_FLAG_PREEMPTED, 100.1);
        assert_int_equal(disturbance_judge(&disturbance, false), DISTURBANCE_FIT);
        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, SAMPLE_FLAG_PREEMPTED, 105);
        assert_int_equal(disturbance_judge(&disturbance, false), DISTURBANCE_TIME);
}

static void what_a_process_shared_is_known_where_its_probes_work(void **state) {
        static const struct {
                SampleProbes first, second, both;
        } rows[] = {
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_ON, SAMPLE_PROBES_ON },
                { SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE },
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_OFF, SAMPLE_PROBES_OFF },
                { SAMPLE_PROBES_OFF, SAMPLE_PROBES_NONE, SAMPLE_PROBES_OFF },
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE },
        };

        fill(5, SAMPLE_FLAG_SHARED, 1.5);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = {};
                DisturbanceShares shares;

                block.probes = rows[i].first;
                shares = disturbance_add_process(&disturbance, &block, &clock_facts, 1000);
                assert_true(shares.quiet == 0.75 && shares.disturbed == 0.25);
                assert_true(block.probes == SAMPLE_PROBES_ON ? shares.shared == 0.25 : isnan(shares.shared));
                block.probes = rows[i].second;
                disturbance_add_process(&disturbance, &block, &clock_facts, 1000);
                assert_int_equal(disturbance.probes, rows[i].both);
        }
}

/* Twenty samples, in each a long pause in which others ran, and that alone. */
static void what_others_take_of_a_pause_is_taken_from_nothing(void **state) {
        Disturbance disturbance = {};

        fill(0, 0, 1);
        for (uint32_t i = 0; i < 20; i++) {
                block.samples[i].ticks = 40 + 10000 + 1000000;
                block.samples[i].paused_ticks = 1000000;
                block.samples[i].flags = SAMPLE_FLAG_PREEMPTED;
        }
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004);
        assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_FIT);
        block.samples[0].paused_ticks = 0;
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004);
        assert_int_equal(disturbance_judge(&disturbance, true), DISTURBANCE_TIME);
}

static void report(const Disturbance *disturbance, bool alone, Arena *arena, Benchd__Disturbed **ret_message,
                WarningList *warnings) {
        assert_int_equal(disturbance_report(disturbance, alone, arena, ret_message, warnings), 0);
}

static void the_report_counts_each_cause_and_is_absent_without_detectors(void **state) {
        Disturbance disturbance = {};
        Benchd__Disturbed *message = NULL;
        WarningList warnings = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED, 100);
        add(&disturbance, SAMPLE_FLAG_INTERRUPTED | SAMPLE_FLAG_PREEMPTED, 100);
        add(&disturbance, SAMPLE_FLAG_MIGRATED, 100);
        add(&disturbance, 0, 100);
        report(&disturbance, true, arena, &message, &warnings);
        assert_null(message);

        disturbance.detectors = DETECTOR_CANARY | DETECTOR_RSEQ;
        report(&disturbance, true, arena, &message, &warnings);
        assert_true(fabs(message->fraction - 0.75) < 1e-12);
        assert_int_equal(message->interrupted, 2);
        assert_int_equal(message->preempted, 1);
        assert_int_equal(message->migrated, 1);
        assert_int_equal(message->unattributed, 0);
        assert_int_equal(message->n_switched_off, 0);
        assert_true(message->quiet == 0.5);
        assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__NONE);
        assert_false(message->has_shared || message->has_shared_share);
        assert_false(message->unfit);
        assert_int_equal(warnings.texts.n, 0);
        arena_free(arena);
}

static void the_report_names_what_was_switched_off_and_why_it_is_unfit(void **state) {
        Disturbance disturbance = processes(5, 8, SAMPLE_FLAG_PREEMPTED, 1.2);
        Benchd__Disturbed *message = NULL;
        WarningList warnings = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        disturbance.switched_off = DETECTOR_CANARY;
        disturbance.probes = SAMPLE_PROBES_OFF;
        report(&disturbance, true, arena, &message, &warnings);
        assert_int_equal(message->n_switched_off, 2);
        assert_string_equal(message->switched_off[0], "canary");
        assert_string_equal(message->switched_off[1], "probes");
        assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__OFF);
        assert_true(message->unfit);
        assert_int_equal(warnings.texts.n, 3);
        assert_non_null(strstr(warnings.texts.texts[0], "unfit: other work took over 2 %"));
        assert_non_null(strstr(warnings.texts.texts[1], "faults pages"));
        assert_non_null(strstr(warnings.texts.texts[2], "slower than it found it"));
        arena_free(arena);
}

static void the_report_tells_how_much_was_shared_and_of_what_the_time_is(void **state) {
        static const struct {
                uint32_t n_shared;
                bool alone;
                const char *words; /* or NULL */
        } rows[] = {
                { 12, true, NULL },
                { 19, true, "the core was shared for 95 % of the samples: the time is that of the few" },
                { 19, false, "the core was shared for 95 % of the samples: the time is that beside a busy neighbour" },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = processes(5, rows[i].n_shared, SAMPLE_FLAG_SHARED, 1.5);
                Benchd__Disturbed *message = NULL;
                WarningList warnings = {};
                Arena *arena = NULL;

                assert_int_equal(arena_new(&arena), 0);
                disturbance.probes = SAMPLE_PROBES_ON;
                report(&disturbance, rows[i].alone, arena, &message, &warnings);
                assert_int_equal(message->shared, 5 * rows[i].n_shared);
                assert_true(fabs(message->shared_share - rows[i].n_shared / 20.0) < 1e-12);
                assert_true(fabs(message->quiet + message->shared_share - 1) < 1e-12);
                assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__ON);
                assert_int_equal(message->unfit, rows[i].words != NULL);
                assert_int_equal(warnings.texts.n, rows[i].words != NULL);
                assert_true(!rows[i].words || strstr(warnings.texts.texts[0], rows[i].words));
                arena_free(arena);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(interrupts_alone_never_make_it_unfit),
                cmocka_unit_test(time_taken_over_two_percent_makes_it_unfit),
                cmocka_unit_test(what_costs_little_time_is_fit),
                cmocka_unit_test(a_core_that_was_shared_nearly_always_makes_it_unfit),
                cmocka_unit_test(batches_that_are_always_preempted_are_judged_by_the_time_that_took),
                cmocka_unit_test(what_a_process_shared_is_known_where_its_probes_work),
                cmocka_unit_test(what_others_take_of_a_pause_is_taken_from_nothing),
                cmocka_unit_test(the_report_counts_each_cause_and_is_absent_without_detectors),
                cmocka_unit_test(the_report_names_what_was_switched_off_and_why_it_is_unfit),
                cmocka_unit_test(the_report_tells_how_much_was_shared_and_of_what_the_time_is),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

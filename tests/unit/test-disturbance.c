/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "arena.h"
#include "front/samples/disturbance.h"

static const DisturbanceFacts alone = { .measurand = MEASURAND_ALONE, .n_quiet = 12, .n_wanted = 12 };
static const DisturbanceFacts of_all = { .measurand = MEASURAND_ALL, .n_wanted = 12 };

static void add(Disturbance *disturbance, uint32_t flags, double ns) {
        const Sample sample = { .ticks = 1, .iterations = 1, .flags = flags };

        disturbance_add(disturbance, &sample, ns, 100);
}

TEST(interrupts_alone_never_make_it_unfit) {
        Disturbance disturbance = {};

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, MARK_INTERRUPTED | MARK_FAULTED | MARK_FREQUENCY, 300);
        assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_FIT);
        assert_int_equal(disturbance.n_disturbed, 100);
}

TEST(time_taken_over_two_percent_makes_it_unfit) {
        static const uint32_t takers[] = { MARK_PREEMPTED, MARK_MIGRATED, MARK_UNATTRIBUTED, MARK_STOLEN };

        for (unsigned i = 0; i < sizeof takers / sizeof *takers; i++) {
                Disturbance disturbance = {};

                for (unsigned j = 0; j < 99; j++)
                        add(&disturbance, 0, 100);
                add(&disturbance, takers[i], 300); /* 200 of 10 200 */
                assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_FIT);
                add(&disturbance, takers[i], 200); /* 300 of 10 400 */
                assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_TIME);
        }
}

static SampleBlock block;
static const ClockFacts clock_facts = { .hz = 1e9,
        .batch_cost_ticks = 40,
        .port_chains = 4,
        .detectors = DETECTOR_CANARY | DETECTOR_RSEQ };

/* Twenty samples of ten iterations: those at the end, @n_marked of them, have @flags and last @longer. */
static void fill(uint32_t n_marked, uint32_t flags, double longer) {
        block = (SampleBlock){ .n_samples = 20,
                .n_threads = 1,
                .threads = { { .ops_per_iteration = 1 } },
                .probes = SAMPLE_PROBES_ON };
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
                assert_true(fabs(disturbance_add_process(&disturbance, &block, &clock_facts, 1000, 0).disturbed -
                                            n_marked / 20.0) < 1e-12);
        return disturbance;
}

/* However far apart its samples and those left are: no interval is asked for. */
TEST(what_costs_little_time_is_fit) {
        static const uint32_t flags[] = { MARK_PREEMPTED, MARK_FREQUENCY, MARK_INTERRUPTED };

        for (size_t i = 0; i < 3; i++) {
                Disturbance disturbance = processes(5, 8, flags[i], 1.02);

                assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_FIT);
        }
}

/* Its share decides nothing: a hundredth that is quiet tells the time alone as well as all. */
TEST(a_core_that_was_shared_nearly_always_is_judged_by_the_processes_that_had_it_alone) {
        static const struct {
                DisturbanceFacts facts;
                double n_hidden;
                DisturbanceVerdict verdict;
        } rows[] = {
                { { MEASURAND_ALONE, .n_quiet = 12, .n_wanted = 12 }, 0, DISTURBANCE_FIT },
                { { MEASURAND_ALONE, .n_quiet = 5, .n_wanted = 12 }, 0, DISTURBANCE_FIT },
                { { MEASURAND_ALONE, .n_quiet = 4, .n_wanted = 12 }, 0, DISTURBANCE_FEW },
                { { MEASURAND_ALONE, .n_quiet = 4, .n_wanted = 4 }, 0, DISTURBANCE_FIT },
                { { MEASURAND_ALONE, .n_quiet = 3, .n_wanted = 4 }, 0, DISTURBANCE_FEW },
                { { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12, .n_places_missing = 1 }, 0, DISTURBANCE_PLACE },
                { { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12, .contaminated = 0.004 }, 1, DISTURBANCE_FIT },
                { { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12, .contaminated = 0.006 }, 1, DISTURBANCE_HIDDEN },
                { { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12 }, 2, DISTURBANCE_HIDDEN },
                { { MEASURAND_SHARED, .n_wanted = 12 }, 0, DISTURBANCE_SHARED },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = { .n_hidden = rows[i].n_hidden };

                for (unsigned j = 0; j < 90; j++)
                        add(&disturbance, MARK_SHARED | MARK_FREQUENCY, 150);
                for (unsigned j = 0; j < 7; j++)
                        add(&disturbance, MARK_BESIDE_SHARED | MARK_FREQUENCY, 100);
                for (unsigned j = 0; j < 3; j++)
                        add(&disturbance, j % 2 ? MARK_INTERRUPTED : 0, 100);
                assert_int_equal(disturbance_judge(&disturbance, &rows[i].facts), rows[i].verdict);
                assert_int_equal(disturbance.n_shared, 90);
                assert_int_equal(disturbance.n_quiet, 3);
                assert_int_equal(disturbance.n_marked[4], 0);
        }
}

/* A light neighbour marks no sample as shared, and leaves none quiet: that is not fit. */
TEST(a_neighbour_that_no_single_probe_tells_is_judged_too) {
        Disturbance disturbance = {};
        const DisturbanceFacts few = { .measurand = MEASURAND_ALONE, .n_quiet = 3, .n_wanted = 12 };

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, MARK_BESIDE_SHARED, 104);
        assert_int_equal(disturbance.n_shared, 0);
        assert_int_equal(disturbance_judge(&disturbance, &of_all), DISTURBANCE_SHARED);
        assert_int_equal(disturbance_judge(&disturbance, &few), DISTURBANCE_FEW);
}

/* What cannot see a neighbour never says that there was none; what it does see it still says. */
TEST(a_core_without_probes_cannot_tell) {
        Benchd__Disturbed *message = NULL;
        Disturbance disturbance = {};
        WarningList warnings = {};
        DisturbanceShares shares;

        fill(0, 0, 1);
        block.probes = SAMPLE_PROBES_NONE;
        shares = disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0);
        assert_true(isnan(shares.quiet) && shares.disturbed == 0);
        assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_UNTOLD);
        assert_int_equal(disturbance_report(&disturbance, &alone, arena, &message, &warnings), 0);
        assert_false(message->has_quiet || message->has_quiet_processes || message->unfit);
        assert_string_equal(warnings.findings[0]->kind, "unwatched");
        fill(20, MARK_PREEMPTED, 2);
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0);
        assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_TIME);
        assert_true(disturbance_is_unwatched(&disturbance));
}

/* Probes that the body itself leaves slow mark nothing, and samples without a mark are not so many quiet ones. */
TEST(what_no_probe_watched_has_no_quiet_share_and_what_some_did_has_theirs) {
        Benchd__Disturbed *message = NULL;
        Disturbance disturbance = {};
        WarningList warnings = {};

        fill(5, MARK_SHARED, 1.5);
        block.probes = SAMPLE_PROBES_OFF;
        assert_true(isnan(disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0).quiet));
        assert_int_equal(disturbance_report(&disturbance, &alone, arena, &message, &warnings), 0);
        assert_false(message->has_quiet || message->has_quiet_processes);
        assert_string_equal(warnings.findings[0]->kind, "unwatched");

        warnings = (WarningList){};
        block.probes = SAMPLE_PROBES_ON;
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0);
        assert_int_equal(disturbance_report(&disturbance, &alone, arena, &message, &warnings), 0);
        assert_true(message->quiet == 0.75);
        assert_string_equal(warnings.findings[0]->kind, "detector-off");
}

/* Long batches are preempted nearly always, and lose a thousandth by it. */
TEST(batches_that_are_always_preempted_are_judged_by_the_time_that_took) {
        Disturbance disturbance = {};

        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, MARK_PREEMPTED, 100.1);
        assert_int_equal(disturbance_judge(&disturbance, &of_all), DISTURBANCE_FIT);
        for (unsigned i = 0; i < 100; i++)
                add(&disturbance, MARK_PREEMPTED, 105);
        assert_int_equal(disturbance_judge(&disturbance, &of_all), DISTURBANCE_TIME);
}

TEST(what_a_process_shared_is_known_where_its_probes_work) {
        static const struct {
                SampleProbes first, second, both;
        } rows[] = {
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_ON, SAMPLE_PROBES_ON },
                { SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE },
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_OFF, SAMPLE_PROBES_OFF },
                { SAMPLE_PROBES_OFF, SAMPLE_PROBES_NONE, SAMPLE_PROBES_OFF },
                { SAMPLE_PROBES_ON, SAMPLE_PROBES_NONE, SAMPLE_PROBES_NONE },
        };

        fill(5, MARK_SHARED, 1.5);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = {};
                DisturbanceShares shares;

                block.probes = rows[i].first;
                shares = disturbance_add_process(&disturbance, &block, &clock_facts, 1000, 0);
                assert_true(shares.disturbed == 0.25);
                assert_true(block.probes == SAMPLE_PROBES_ON ? shares.shared == 0.25 && shares.quiet == 0.75
                                                             : isnan(shares.shared) && isnan(shares.quiet));
                block.probes = rows[i].second;
                disturbance_add_process(&disturbance, &block, &clock_facts, 1000, 0);
                assert_int_equal(disturbance.probes, rows[i].both);
        }
}

/* Twenty samples, in each a long pause in which others ran, and that alone. */
TEST(what_others_take_of_a_pause_is_taken_from_nothing) {
        Disturbance disturbance = {};

        fill(0, 0, 1);
        for (uint32_t i = 0; i < 20; i++) {
                block.samples[i].ticks = 40 + 10000 + 1000000;
                block.samples[i].paused_ticks = 1000000;
                block.samples[i].flags = MARK_PREEMPTED;
        }
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0);
        assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_FIT);
        block.samples[0].paused_ticks = 0;
        disturbance_add_process(&disturbance, &block, &clock_facts, 1004, 0);
        assert_int_equal(disturbance_judge(&disturbance, &alone), DISTURBANCE_TIME);
}

static void report(const Disturbance *disturbance, const DisturbanceFacts *facts, Benchd__Disturbed **ret_message,
                WarningList *warnings) {
        assert_int_equal(disturbance_report(disturbance, facts, arena, ret_message, warnings), 0);
}

TEST(the_report_counts_each_cause_and_is_absent_without_detectors) {
        Disturbance disturbance = {};
        Benchd__Disturbed *message = NULL;
        WarningList warnings = {};

        add(&disturbance, MARK_INTERRUPTED, 100);
        add(&disturbance, MARK_INTERRUPTED | MARK_PREEMPTED, 100);
        add(&disturbance, MARK_MIGRATED, 100);
        add(&disturbance, 0, 100);
        report(&disturbance, &alone, &message, &warnings);
        assert_null(message);

        disturbance.detectors = DETECTOR_CANARY | DETECTOR_RSEQ;
        report(&disturbance, &alone, &message, &warnings);
        assert_true(fabs(message->fraction - 0.75) < 1e-12);
        assert_int_equal(message->interrupted, 2);
        assert_int_equal(message->preempted, 1);
        assert_int_equal(message->migrated, 1);
        assert_int_equal(message->unattributed, 0);
        assert_int_equal(message->n_switched_off, 0);
        assert_false(message->has_quiet);
        assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__NONE);
        assert_false(message->has_shared || message->has_shared_share);
        assert_false(message->unfit);
        assert_int_equal(warnings.texts.n, 1);
        assert_string_equal(warnings.findings[0]->kind, "unwatched");
}

TEST(the_report_names_what_was_switched_off_and_why_it_is_unfit) {
        Disturbance disturbance = processes(5, 8, MARK_PREEMPTED, 1.2);
        Benchd__Disturbed *message = NULL;
        WarningList warnings = {};
        DisturbanceFacts threaded = alone;

        disturbance.switched_off = DETECTOR_CANARY;
        disturbance.probes = SAMPLE_PROBES_OFF;
        report(&disturbance, &alone, &message, &warnings);
        assert_int_equal(message->n_switched_off, 2);
        assert_string_equal(message->switched_off[0], "canary");
        assert_string_equal(message->switched_off[1], "probes");
        assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__OFF);
        assert_true(message->unfit);
        assert_int_equal(warnings.texts.n, 3);
        assert_non_null(strstr(warnings.texts.texts[0], "unfit: other work took over 2 %"));
        assert_non_null(strstr(warnings.texts.texts[1], "faults pages"));
        assert_non_null(strstr(warnings.texts.texts[2], "slower than it found it"));

        threaded.own_threads = true;
        warnings = (WarningList){};
        report(&disturbance, &threaded, &message, &warnings);
        assert_int_equal(warnings.texts.n, 3);
        assert_non_null(strstr(warnings.texts.texts[0], "or other threads of the module, took the CPU"));
        assert_non_null(strstr(warnings.texts.texts[0], "--cpus-per-run"));
        assert_non_null(strstr(warnings.texts.texts[2], "or one of its threads, leaves the core slower"));
}

TEST(the_report_tells_how_much_was_shared_and_of_what_the_time_is) {
        static const struct {
                uint32_t n_shared;
                DisturbanceFacts facts;
                const char *words; /* or NULL */
        } rows[] = {
                { 19, { MEASURAND_ALONE, .n_quiet = 12, .n_wanted = 12 }, NULL },
                { 19, { MEASURAND_ALONE, .n_quiet = 3, .n_wanted = 12 },
                                "the core was shared for 95 % of the samples, and only 3 of 12 processes had it alone" },
                { 19, { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12, .n_places_missing = 1 },
                                "at 1 of the places within a cache line no process had it alone" },
                { 19, { MEASURAND_ALONE, .n_quiet = 9, .n_wanted = 12, .contaminated = 0.02 },
                                "visits that no probe saw may have moved the time by 2 %" },
                { 19, { MEASURAND_SHARED, .n_wanted = 12 }, "the time is that beside a busy neighbour" },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Disturbance disturbance = processes(5, rows[i].n_shared, MARK_SHARED, 1.5);
                Benchd__Disturbed *message = NULL;
                WarningList warnings = {};

                disturbance.probes = SAMPLE_PROBES_ON;
                report(&disturbance, &rows[i].facts, &message, &warnings);
                assert_int_equal(message->shared, 5 * rows[i].n_shared);
                assert_true(fabs(message->shared_share - rows[i].n_shared / 20.0) < 1e-12);
                assert_true(fabs(message->quiet + message->shared_share - 1) < 1e-12);
                assert_int_equal(message->probes, BENCHD__DISTURBED__PROBES__ON);
                assert_int_equal(message->unfit, rows[i].words != NULL);
                assert_int_equal(warnings.texts.n, rows[i].words != NULL);
                assert_true(!rows[i].words || strstr(warnings.texts.texts[0], rows[i].words));
        }
}

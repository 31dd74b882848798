/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/samples/conduct.h"

static SampleBlock block;

static TextList report(SampleConduct of, Arena *arena) {
        TextList warnings = {};
        Conduct conduct = {};

        block = (SampleBlock){ .n_samples = 20 };
        conduct_add(&conduct, &block);
        block.conduct = of;
        conduct_add(&conduct, &block);
        conduct_report(&conduct, arena, &warnings);
        return warnings;
}

static void a_module_that_does_its_work_only_has_no_warning(void **state) {
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        assert_int_equal(report((SampleConduct){}, arena).n, 0);
        arena_free(arena);
}

static void each_thing_has_its_own_sentence_whichever_process_did_it(void **state) {
        static const struct {
                SampleConduct of;
                const char *words;
        } rows[] = {
                { { .changed = CONDUCT_AFFINITY }, "affinity" },
                { { .changed = CONDUCT_POLICY }, "scheduling policy" },
                { { .changed = CONDUCT_NICE }, "nice" },
                { { .other_threads = 3, .was_threaded = 1 }, "several threads: 3 " },
                { { .was_threaded = 1 }, "started threads" },
                { { .writing_samples = 5 }, "in 5 of 40 samples" },
                { { .tracer = SAMPLE_TRACER_ATTACHED }, "tracer was attached" },
                { { .blocking_samples = 20, .n_blocked = 21 }, "in 20 of 40 samples (21 times)" },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Arena *arena = NULL;
                TextList warnings;

                assert_int_equal(arena_new(&arena), 0);
                warnings = report(rows[i].of, arena);
                assert_int_equal(warnings.n, 1);
                assert_non_null(strstr(warnings.texts[0], rows[i].words));
                arena_free(arena);
        }
}

static void what_may_be_of_pauses_is_told_so(void **state) {
        TextList warnings = {};
        Conduct conduct = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        block = (SampleBlock){ .n_samples = 1, .conduct = { .writing_samples = 1, .blocking_samples = 1 } };
        block.samples[0].paused_ticks = 1;
        conduct_add(&conduct, &block);
        conduct_report(&conduct, arena, &warnings);
        assert_int_equal(warnings.n, 2);
        assert_non_null(strstr(warnings.texts[0], "but for what it prints in its pauses"));
        assert_non_null(strstr(warnings.texts[1], "but for that in its pauses"));
        arena_free(arena);
}

static void a_benchmark_of_several_threads_has_them_by_its_own_wish(void **state) {
        TextList warnings = {};
        Conduct conduct = {};
        Arena *arena = NULL;

        assert_int_equal(arena_new(&arena), 0);
        block = (SampleBlock){ .n_samples = 2, .conduct = { .was_threaded = 1 } };
        block.samples[1].thread = 1;
        conduct_add(&conduct, &block);
        conduct_report(&conduct, arena, &warnings);
        assert_int_equal(warnings.n, 0);
        arena_free(arena);
}

static void one_traced_process_is_enough_and_one_that_cannot_tell_leaves_it_open(void **state) {
        static const struct {
                SampleTracer processes[2];
                int outcome;
                bool traced;
        } rows[] = {
                { { SAMPLE_TRACER_NONE, SAMPLE_TRACER_NONE }, 0, false },
                { { SAMPLE_TRACER_NONE, SAMPLE_TRACER_ATTACHED }, 0, true },
                { { SAMPLE_TRACER_UNKNOWN, SAMPLE_TRACER_ATTACHED }, 0, true },
                { { SAMPLE_TRACER_UNKNOWN, SAMPLE_TRACER_NONE }, CONDUCT_E_UNKNOWN, false },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Conduct conduct = {};
                bool traced = false;

                for (size_t j = 0; j < 2; j++) {
                        block = (SampleBlock){ .n_samples = 1, .conduct = { .tracer = rows[i].processes[j] } };
                        conduct_add(&conduct, &block);
                }
                assert_int_equal(conduct_traced(&conduct, &traced), rows[i].outcome);
                assert_int_equal(traced, rows[i].traced);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_module_that_does_its_work_only_has_no_warning),
                cmocka_unit_test(each_thing_has_its_own_sentence_whichever_process_did_it),
                cmocka_unit_test(what_may_be_of_pauses_is_told_so),
                cmocka_unit_test(a_benchmark_of_several_threads_has_them_by_its_own_wish),
                cmocka_unit_test(one_traced_process_is_enough_and_one_that_cannot_tell_leaves_it_open),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

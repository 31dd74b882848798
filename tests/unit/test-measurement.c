/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A measurement: how many processes each benchmark has, which is next, and that one that fails takes none of the others with it.
 */

#include "front/samples/measurement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "measuring.h"

/* Notes processes of three samples of @ns until none is left; returns how many. */
static unsigned note_all(double ns) {
        unsigned n = 0;

        for (; measurement_next(measurement); n++)
                note_in_a_row(ns);
        return n;
}

/* A sample is of 2000 operations, so that 3 of 100 us an operation take 0.6 s, of a budget of 3 s. */
static void a_budget_that_ends_takes_processes_away_but_never_the_third(void **state) {
        static const struct {
                double ns;
                unsigned n_processes;
        } rows[] = { { 1000, 10 }, { 49000, 10 }, { 100000, 4 }, { 125001, 3 }, { 1e9, 3 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const bool fewer = rows[i].n_processes < 10;
                Benchd__BenchmarkResult *result;

                make_measurement(1, 10);
                assert_int_equal(note_all(rows[i].ns), rows[i].n_processes);
                assert_int_equal(measurement_count(measurement).processes, rows[i].n_processes);
                assert_int_equal(measurement_was_shortened(measurement), fewer);
                result = take(false);
                assert_non_null(result);
                assert_int_equal(result->n_processes, rows[i].n_processes);
                assert_int_equal(count_warnings(result, "of the 10 planned"), fewer);
                measurement = measurement_free(measurement);
        }
}

/* Plans for ± 1 %, of at most @most processes. */
static void make_precise_measurement(unsigned n_benchmarks, uint32_t most) {
        Benchd__RunRequest request = BENCHD__RUN_REQUEST__INIT;

        request.processes = most, request.has_processes = 1;
        request.precision = 0.01, request.has_precision = 1;
        make_measurement_for(n_benchmarks, &request);
}

/* Notes the next process, whose samples take as much more than @ns as its turn says; returns whose it was. */
static uint32_t note_apart(double ns, double apart, unsigned turn) {
        uint32_t benchmark = measurement_next(measurement)->benchmark;
        double slower = ns * (1 + apart * (turn % 5));

        note((double[]){ slower, slower, slower }, 3);
        return benchmark;
}

static void a_precision_settles_the_number_by_the_first_five_and_never_again(void **state) {
        unsigned n_done[2] = {};
        Benchd__BenchmarkResult *result;

        make_precise_measurement(2, 1000);
        assert_int_equal(measurement_count(measurement).processes, 10);
        while (n_done[0] < 5 || n_done[1] < 5) {
                uint32_t next = measurement_next(measurement)->benchmark;

                note_apart(1000, next == 0 ? 0.0001 : 0.01, n_done[next]);
                n_done[next]++;
        }
        /* the first is narrow enough; 1 % steps: logs 1.56 % apart, t of 4 degrees 2.776, so 19 */
        assert_int_equal(measurement_count(measurement).processes, 5 + 19);
        assert_int_equal(measurement_most_processes(measurement), 19);
        result = take(false);
        assert_non_null(result);
        assert_string_equal(result->name, "a");
        assert_int_equal(count_warnings(result, "takes about"), 0);
        while (measurement_next(measurement)) /* wilder than before, which changes nothing */
                assert_int_equal(note_apart(1000, 0.2, n_done[1]++), 1);
        assert_int_equal(n_done[1], 19);
        result = take(false);
        assert_int_equal(result->n_processes, 19);
        assert_int_equal(count_warnings(result, "not the ± 1 % that was asked for"), 1);
        assert_false(measurement_was_shortened(measurement));
}

/* Batches of 20 ns, on a clock that tells one. */
static void a_precision_beyond_the_clock_is_not_blamed_on_the_processes(void **state) {
        Benchd__BenchmarkResult *result;

        make_precise_measurement(1, 1000);
        for (unsigned i = 0; i < 5; i++)
                note_in_a_row(0.01);
        assert_null(measurement_next(measurement));
        result = take(false);
        assert_int_equal(count_warnings(result, "a step of the clock is 5 % of a batch"), 1);
        assert_int_equal(count_warnings(result, "further apart"), 0);
}

static void a_precision_that_cannot_be_had_runs_what_fits_and_says_so(void **state) {
        static const struct {
                uint32_t most;
                double ns; /* a sample is of 2000 operations */
                unsigned n;
                const char *words;
                bool shortened;
        } rows[] = { { 8, 1000, 8, "at most 8", false }, { 1000, 50000, 9, "the budget holds 9", true },
                { 2, 1000, 2, "at most 2", false }, { 1, 1000, 1, "one alone", false } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Benchd__BenchmarkResult *result;
                unsigned n = 0;

                make_precise_measurement(1, rows[i].most);
                for (; measurement_next(measurement); n++)
                        note_in_a_row(rows[i].ns * (1 + 0.01 * (n % 5)));
                assert_int_equal(n, rows[i].n);
                result = take(false);
                assert_int_equal(count_warnings(result, rows[i].words), 1);
                assert_int_equal(measurement_was_shortened(measurement), rows[i].shortened);
                measurement = measurement_free(measurement);
        }
}

static void two_processes_that_were_asked_for_stay_two(void **state) {
        make_measurement(1, 2);
        assert_int_equal(note_all(1e9), 2);
        assert_false(measurement_was_shortened(measurement));
}

static void a_benchmark_that_fails_leaves_the_others_alone(void **state) {
        unsigned n_failed = 0, n_measured = 0, n_run = 0;
        const PlanProcess *next;
        Benchd__BenchmarkResult *result;

        make_measurement(3, 4);
        while ((next = measurement_next(measurement))) {
                if (next->benchmark == 1)
                        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
                else
                        note((double[]){ 1, 1, 1 }, 3);
                n_run++;
                while ((result = take(false))) {
                        n_failed += result->failed != NULL;
                        n_measured += result->time_ns != NULL;
                        assert_true((strcmp(result->name, "b") == 0) == (result->failed != NULL));
                        if (result->failed)
                                assert_string_equal(result->failed->message, "It crashed.\xef\xbf\xbd[2J");
                }
        }
        assert_int_equal(n_run, 9);
        assert_int_equal(n_failed, 1);
        assert_int_equal(n_measured, 2);
        assert_int_equal(measurement_count(measurement).failed, 1);
        assert_int_equal(measurement_count(measurement).measured, 2);
        assert_int_equal(measurement_count(measurement).processes, 8);
        assert_int_equal(measurement_count(measurement).processes_done, 8);
}

static void what_was_measured_before_a_failure_is_not_reported(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(1, 3);
        note((double[]){ 1, 1, 1 }, 3);
        assert_non_null(measurement_next(measurement));
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        result = take(false);
        assert_non_null(result->failed);
        assert_null(result->time_ns);
        assert_int_equal(measurement_count(measurement).measured, 0);
}

static void a_cancelled_one_tells_what_it_has(void **state) {
        Benchd__BenchmarkResult *result;

        make_measurement(2, 5);
        note((double[]){ 1, 1, 1 }, 3);
        assert_null(take(false));
        result = take(true);
        assert_non_null(result->time_ns);
        assert_int_equal(result->n_processes, 1);
        assert_string_equal(result->warnings[result->n_warnings - 1], "cancelled after 1 of 5 processes");
        assert_null(take(true));
}

static void what_fails_while_timed_is_not_counted(void **state) {
        make_counting_measurement(1, 3);
        note((double[]){ 1, 1, 1 }, 3);
        assert_int_equal(measurement_note_failed(measurement, &crash, &silence), 0);
        assert_null(measurement_next(measurement));
        assert_int_equal(measurement_count(measurement).processes, 1);
        assert_non_null(take(false)->failed);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_budget_that_ends_takes_processes_away_but_never_the_third, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(a_precision_settles_the_number_by_the_first_five_and_never_again,
                                set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_precision_beyond_the_clock_is_not_blamed_on_the_processes, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(a_precision_that_cannot_be_had_runs_what_fits_and_says_so, set_up,
                                tear_down),
                cmocka_unit_test_setup_teardown(two_processes_that_were_asked_for_stay_two, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_benchmark_that_fails_leaves_the_others_alone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_was_measured_before_a_failure_is_not_reported, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_cancelled_one_tells_what_it_has, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_fails_while_timed_is_not_counted, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

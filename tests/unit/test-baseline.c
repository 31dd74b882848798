/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A result against an earlier one: its ratio and interval by another program's figures, how often noise makes a verdict, and what is
 * refused.
 */

#include "ctl/model/baseline.h"

#include <jansson.h>

#include "ctl/base/json-path.h"
#include "ctl/model/conditions.h"
#include "random.h"
#include "stats/interval.h"
#include "words/condition.h"

#define TRIALS    4000
#define PROCESSES 10

static json_t *row_of(const char *name, const double *times_ns, size_t n) {
        json_t *processes = json_array(), *time;
        Interval interval;

        for (size_t i = 0; i < n; i++)
                json_array_append_new(processes, json_pack("{s:f}", "median_ns", times_ns[i]));
        assert_int_equal(interval_of_logs(times_ns, NULL, n, 0.95, &interval), 0);
        time = json_pack("{s:f}", "point", interval.point);
        if (isfinite(interval.low)) {
                json_object_set_new(time, "low", json_real(interval.low));
                json_object_set_new(time, "high", json_real(interval.high));
        }
        return json_pack("{s:s, s:s, s:{}, s:i, s:n, s:n, s:o, s:o}", "area", "a", "name", name, "args", "threads", 1,
                        "side", "failed", "time_ns", time, "processes", processes);
}

/* A result with @row, which it takes, measured under the conditions @key. */
static json_t *result_of(const char *key, json_t *row) {
        return json_pack("{s:s, s:s, s:{s:s}, s:[o], s:[]}", "verdict", "fit", "comparability_key", key, "module",
                        "name", "dir/m.so", "benchmarks", row, "comparisons");
}

static json_t *result_of_times(const double *times_ns, size_t n) {
        return result_of("k", row_of("x", times_ns, n));
}

/* By scipy 1.10: ttest_ind() of the logs with equal_var=False, and the interval from its standard error and freedom. */
TEST(ratio_and_interval_are_welch_s_on_logs) {
        static const double old_ns[] = { 100, 102, 98, 101, 99 }, new_ns[] = { 120, 118, 125, 121 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(old_ns, 5), *new = result_of_times(new_ns, 4);
        _cleanup_(json_decrefp) json_t *compared = NULL;
        const json_t *row;

        assert_int_equal(baseline_compare(old, new, 0.1, &compared), 0);
        row = json_array_get(json_at(compared, "comparisons"), 0);
        assert_true(fabs(json_number_value(json_at(row, "ratio.point")) - 1.2098543658) < 1e-6);
        assert_true(fabs(json_number_value(json_at(row, "ratio.low")) - 1.1669558429) < 1e-6);
        assert_true(fabs(json_number_value(json_at(row, "ratio.high")) - 1.2543298835) < 1e-6);
        assert_string_equal(json_text_at(row, "verdict"), "slower");
        assert_int_equal(json_array_size(json_at(compared, "benchmarks")), 2);
}

/* A clock of 10 ns steps, and batches of 10 us in each process. */
static void set_coarse(json_t *result) {
        json_t *row = json_array_get(json_object_get(result, "benchmarks"), 0);
        const json_t *processes = json_at(row, "processes");

        json_object_set_new(result, "environment",
                        json_pack("{s:{s:f, s:f}}", "tsc", "quantum_ticks", 30.0, "hz", 3e9));
        json_object_set_new(row, "ops_per_iteration", json_real(5));
        for (size_t i = 0; i < json_array_size(processes); i++)
                json_object_set_new(json_array_get(processes, i), "iterations", json_integer(20));
}

/* Values that agree exactly are so by the clock, and the sides may each be a step of it off. */
TEST(a_ratio_is_no_finer_than_the_steps_of_the_clock) {
        static const double old_ns[] = { 100, 100, 100, 100 }, new_ns[] = { 100.1, 100.1, 100.1, 100.1 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(old_ns, 4), *new = result_of_times(new_ns, 4);
        _cleanup_(json_decrefp) json_t *compared = NULL, *by_itself = NULL;
        const json_t *row;

        set_coarse(old);
        set_coarse(new);
        assert_int_equal(baseline_compare(old, new, 0.0005, &compared), 0);
        row = json_array_get(json_at(compared, "comparisons"), 0);
        assert_true(fabs(log(json_number_value(json_at(row, "ratio.low")) / 1.001) + 0.002) < 2e-6);
        assert_true(fabs(log(json_number_value(json_at(row, "ratio.high")) / 1.001) - 0.002) < 2e-6);
        assert_string_equal(json_text_at(row, "verdict"), "unresolved");
        assert_string_equal(json_text_at(json_array_get(json_at(row, "findings"), 0), "kind"), "coarse-clock");

        json_object_set_new(json_array_get(json_object_get(new, "benchmarks"), 0), "manual_time", json_true());
        assert_int_equal(baseline_compare(old, new, 0.0005, &by_itself), 0); /* a time that the body told has no step */
        row = json_array_get(json_at(by_itself, "comparisons"), 0);
        assert_true(fabs(log(json_number_value(json_at(row, "ratio.high")) / 1.001) - 0.001) < 2e-6);
}

/* Returns the verdict of two runs whose times lie @factor apart, and 2 % from process to process. */
static const char *verdict_of_noise(gsl_rng *random, double factor, json_t **ret_compared) {
        double old_ns[PROCESSES], new_ns[PROCESSES];
        _cleanup_(json_decrefp) json_t *old = NULL, *new = NULL;

        for (size_t i = 0; i < PROCESSES; i++) {
                old_ns[i] = 100 * exp(0.02 * gsl_ran_ugaussian(random));
                new_ns[i] = 100 * factor * exp(0.02 * gsl_ran_ugaussian(random));
        }
        old = result_of_times(old_ns, PROCESSES);
        new = result_of_times(new_ns, PROCESSES);
        assert_int_equal(baseline_compare(old, new, 0.1, ret_compared), 0);
        return json_text_at(json_array_get(json_at(*ret_compared, "comparisons"), 0), "verdict");
}

/* A time on the very edge of the margin is called slower in 2.5 %, and equal ones, 11 standard errors inside, never. */
TEST(noise_seldom_fails_a_gate) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_edge = 0, n_equal = 0;

        for (int i = 0; i < TRIALS; i++) {
                _cleanup_(json_decrefp) json_t *edge = NULL, *equal = NULL;

                n_edge += strcmp(verdict_of_noise(random, 1.1, &edge), "slower") == 0;
                n_equal += strcmp(verdict_of_noise(random, 1, &equal), "same") != 0;
        }
        assert_true(fabs((double)n_edge / TRIALS - 0.025) < share_tolerance(0.025, TRIALS));
        assert_int_equal(n_equal, 0);
}

TEST(few_processes_give_no_verdict) {
        static const double ns[] = { 100, 101, 102 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(ns, 2), *new = result_of_times(ns, 3);
        _cleanup_(json_decrefp) json_t *compared = NULL;
        const json_t *row;

        assert_int_equal(baseline_compare(old, new, 0.1, &compared), 0);
        row = json_array_get(json_at(compared, "comparisons"), 0);
        assert_null(json_at(row, "verdict"));
        assert_null(json_at(row, "ratio.point"));
        assert_int_equal(json_array_size(json_at(row, "findings")), 1);
}

TEST(equal_times_without_spread_are_the_same) {
        static const double ns[] = { 100, 100, 100 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(ns, 3), *new = result_of_times(ns, 3);
        _cleanup_(json_decrefp) json_t *compared = NULL;

        assert_int_equal(baseline_compare(old, new, 0.1, &compared), 0);
        assert_string_equal(json_text_at(json_array_get(json_at(compared, "comparisons"), 0), "verdict"), "same");
}

static json_t *row_at(const json_t *result) {
        return json_array_get(json_at(result, "benchmarks"), 0);
}

TEST(a_time_alone_is_not_compared_with_one_beside_a_neighbour) {
        static const double old_ns[] = { 100, 101, 99 }, new_ns[] = { 200, 202, 198 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(old_ns, 3), *new = result_of_times(new_ns, 3);
        _cleanup_(json_decrefp) json_t *unlike = NULL, *alike = NULL;
        const json_t *row;

        json_object_set_new(row_at(old), "measurand", json_string("alone"));
        json_object_set_new(row_at(new), "measurand", json_string("shared"));
        assert_int_equal(baseline_compare(old, new, 0.1, &unlike), 0);
        row = json_array_get(json_at(unlike, "comparisons"), 0);
        assert_null(json_at(row, "verdict"));
        assert_null(json_at(row, "ratio.point"));
        assert_string_equal(json_text_at(json_array_get(json_at(row, "findings"), 0), "kind"), "unlike-times");
        assert_string_equal(json_string_value(json_array_get(json_at(row, "warnings"), 0)),
                        "not comparable: the baseline's time is alone, this one is beside a neighbour; measure again, or "
                        "'compare'");

        json_object_set_new(row_at(old), "measurand", json_string("shared"));
        assert_int_equal(baseline_compare(old, new, 0.1, &alike), 0);
        assert_string_equal(json_text_at(json_array_get(json_at(alike, "comparisons"), 0), "verdict"), "slower");
}

/* The headline of a row may be of other numbers than the plain mean of its processes. */
TEST(the_ratio_is_the_quotient_of_the_times_that_are_shown) {
        static const double ns[] = { 100, 101, 99, 104 };
        _cleanup_(json_decrefp) json_t *old = result_of_times(ns, 4), *new = result_of_times(ns, 4), *compared = NULL;
        double ratio;

        json_object_set_new(row_at(new), "time_ns",
                        json_pack("{s:f, s:f, s:f}", "point", 130.0, "low", 129.0, "high", 131.0));
        json_object_set_new(row_at(old), "time_ns",
                        json_pack("{s:f, s:f, s:f}", "point", 104.0, "low", 103.0, "high", 105.0));
        assert_int_equal(baseline_compare(old, new, 0.1, &compared), 0);
        assert_true(json_number_at(json_array_get(json_at(compared, "comparisons"), 0), "ratio.point", &ratio));
        assert_float_equal(ratio, 1.25, 1e-12);
}

TEST(what_cannot_be_compared_is_an_outcome) {
        static const double ns[] = { 100, 101, 102 };
        _cleanup_(json_decrefp) json_t *result = result_of_times(ns, 3);
        _cleanup_(json_decrefp) json_t *other = result_of("other", row_of("x", ns, 3));
        _cleanup_(json_decrefp) json_t *strange = result_of("k", row_of("y", ns, 3));
        _cleanup_(json_decrefp) json_t *several = json_pack("[O, O]", result, result), *compared = NULL, *brief = NULL;

        assert_int_equal(baseline_compare(other, result, 0.1, &compared), BASELINE_E_OTHER);
        assert_int_equal(baseline_compare(strange, result, 0.1, &compared), BASELINE_E_NO_PAIRS);
        json_object_set_new(json_object_get(strange, "module"), "name", json_string("n.so"));
        assert_int_equal(baseline_compare(several, strange, 0.1, &compared), BASELINE_E_NONE);
        assert_null(compared);

        brief = json_pack("{s:s}", "verdict", "fit");
        assert_true(baseline_check(result));
        assert_true(baseline_check(several));
        assert_false(baseline_check(brief));
        assert_int_equal(baseline_compare(result, result, 0.1, &compared), 0);
        assert_false(baseline_check(compared));
}

/* ---- conditions */

/* A result under conditions that each have @n in their value. */
static json_t *result_under(int n, const char *instrument, const char *memory_limit, json_int_t memory_bytes) {
        static const double ns[] = { 100, 101, 102 };
        json_t *result = result_of(n == 1 ? "1" : "2", row_of("x", ns, 3)), *cpu;
        char text[] = { 'v', (char)('0' + n), '\0' };

        cpu = json_pack("{s:s, s:i, s:i, s:i, s:s, s:[{s:i, s:s, s:i}]}", "brand", text, "family", n, "model", 1,
                        "stepping", 1, "microcode", text, "caches", "level", 1, "kind", "data", "size_bytes", n << 10);
        json_object_set_new(result, "method", json_string(text));
        json_object_set_new(result, "instrumented", json_pack("[s*]", instrument));
        json_object_set_new(result, "module",
                        json_pack("{s:s, s:[{s:s, s:b}]}", "name", "m.so", "libraries", "name", text, "preloaded", 1));
        json_object_set_new(result, "environment",
                        json_pack("{s:o, s:{s:s}, s:s, s:i, s:I, s:s, s:[{s:s, s:s, s:s}]}", "cpu", cpu, "tsc", "clock",
                                        text, "scheduler", text, "processors", n, "memory_bytes", memory_bytes,
                                        "kernel", text, "controls", "name", "memory limit", "outcome", "applied", "is",
                                        memory_limit));
        return result;
}

static bool has_clause(const json_t *clauses, const char *beginning) {
        const json_t *clause;

        json_each(i, clause, clauses) {
                if (strncmp(json_string_value(clause), beginning, strlen(beginning)) == 0)
                        return true;
        }
        return false;
}

TEST(each_condition_that_differs_is_named_with_both_values) {
        _cleanup_(json_decrefp) json_t *was = result_under(1, "tracer", "1 GiB", 8ll << 30), *clauses = NULL;
        _cleanup_(json_decrefp) json_t *is = result_under(2, NULL, "1 GiB", 16ll << 30);

        assert_int_equal(baseline_differences(was, is, &clauses), 0);
        for (ConditionKind i = CONDITION_NONE + 1; i < _CONDITION_KIND_N; i++) {
                char beginning[64];

                snprintf(beginning, sizeof beginning, "%s was ", condition_words(i));
                assert_true(has_clause(clauses, beginning));
        }
        assert_int_equal(json_array_size(clauses), _CONDITION_KIND_N - 1);
        assert_true(has_clause(clauses, "the kernel was v1 and is v2"));
        assert_true(has_clause(clauses, "the instrumentation was tracer and is none"));
        assert_true(has_clause(clauses, "the memory was 8 GiB and is 16 GiB"));
}

static void set_tuning(json_t *result, const char *outcome, const char *is) {
        json_object_set_new(json_object_get(result, "environment"), "controls",
                        json_pack("[{s:s, s:s, s:s}]", "name", "tuning", "outcome", outcome, "is", is));
}

/* In place of all settings there is one control, which says why they were left. */
static void set_untuned(json_t *result) {
        set_tuning(result, "denied", "another benchd has set them");
}

TEST(settings_that_another_daemon_made_as_wanted_are_not_named_beside_a_true_difference) {
        _cleanup_(json_decrefp) json_t *alone = result_under(1, NULL, "1 GiB", 8ll << 30), *clauses = NULL;
        _cleanup_(json_decrefp) json_t *beside = result_under(2, NULL, "1 GiB", 8ll << 30);

        json_object_set_new(json_object_get(alone, "environment"), "controls", json_array());
        set_tuning(beside, "already", "set by another benchd, process 7");
        assert_int_equal(baseline_differences(alone, beside, &clauses), 0);
        assert_false(has_clause(clauses, "tuning") || has_clause(clauses, "the machine's settings"));
        assert_null(baseline_remedy(alone, beside));
}

TEST(a_run_beside_another_daemon_differs_in_one_thing_and_the_remedy_is_to_wait) {
        _cleanup_(json_decrefp) json_t *tuned = result_under(1, NULL, "1 GiB", 8ll << 30), *clauses = NULL,
                                       *saved = NULL;
        _cleanup_(json_decrefp) json_t *untuned = result_under(1, NULL, "1 GiB", 8ll << 30);

        set_untuned(untuned);
        assert_int_equal(baseline_differences(tuned, untuned, &clauses), 0);
        assert_int_equal(json_array_size(clauses), 1);
        assert_true(has_clause(clauses,
                        "the machine's settings were benchd's, and are left as they are now: another benchd"));
        assert_non_null(baseline_remedy(tuned, untuned));
        assert_int_equal(baseline_differences(untuned, tuned, &saved), 0);
        assert_int_equal(json_array_size(saved), 1);
        assert_null(baseline_remedy(untuned, tuned));
        assert_null(baseline_remedy(untuned, untuned));
        set_tuning(untuned, "denied", "no restore journal: nothing is changed"); /* for which waiting is no remedy */
        assert_null(baseline_remedy(tuned, untuned));
}

TEST(two_results_side_by_side_name_what_differs_in_a_and_b) {
        _cleanup_(json_decrefp) json_t *first = result_under(1, NULL, "1 GiB", 8ll << 30), *clauses = NULL;
        _cleanup_(json_decrefp) json_t *second = result_under(2, NULL, "1 GiB", 8ll << 30);

        set_untuned(second);
        assert_int_equal(conditions_compare(first, second, CONDITIONS_A_AND_B, &clauses), 0);
        assert_true(has_clause(clauses, "the kernel is v1 in A and v2 in B"));
        assert_true(has_clause(clauses, "the machine's settings were left as they were in B alone"));
        assert_non_null(strstr(conditions_remedy(first, second, CONDITIONS_A_AND_B), "measure B again"));
        assert_non_null(strstr(conditions_remedy(second, first, CONDITIONS_A_AND_B), "measure A again"));
}

TEST(figures_that_equal_machines_do_not_tell_equally_are_no_difference) {
        _cleanup_(json_decrefp) json_t *was = result_under(1, NULL, "17.66 GiB", (8ll << 30) - (9 << 20)),
                                       *clauses = NULL;
        _cleanup_(json_decrefp) json_t *is = result_under(1, NULL, "17.65 GiB", 8ll << 30);

        assert_int_equal(baseline_differences(was, is, &clauses), 0);
        assert_int_equal(json_array_size(clauses), 1);
        assert_true(has_clause(clauses, "another version of benchd measured it"));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sweeps: one fit for each benchmark with one argument and number of threads; what has no time is left out. */

#include "front/report/complexity-report.h"

#include "stats/complexity.h"
#include "test.h"

#define SIZES 6

static PlanEntry entries[] = {
        { .area = "a", .name = "sorts", .arg_names = { "n" }, .n_args = 1 },
        { .area = "a", .name = "plain" },
        { .area = "a", .name = "two", .arg_names = { "n", "m" }, .n_args = 2 },
        { .area = "b", .name = "shared", .arg_names = { "size" }, .n_args = 1 },
};

static PlanBenchmark benchmarks[64];
static double points[64];
static Plan plan;
static Arena *arena;

static int set_up(void **state) {
        plan = (Plan){ .entries = entries, .n_entries = 4, .benchmarks = benchmarks };
        return arena_new(&arena);
}

static int tear_down(void **state) {
        arena = arena_free(arena);
        return 0;
}

TEST_EACH(set_up, tear_down)

static void add_value(uint32_t entry, ArgumentValue size, uint32_t threads, double ns) {
        points[plan.n_benchmarks] = ns;
        benchmarks[plan.n_benchmarks++] =
                        (PlanBenchmark){ .entry = entry, .threads = threads, .args = { size, argument_integer(7) } };
}

static void add(uint32_t entry, int64_t size, uint32_t threads, double ns) {
        add_value(entry, argument_integer(size), threads, ns);
}

static Benchd__RunResult report(void) {
        Benchd__RunResult result = BENCHD__RUN_RESULT__INIT;

        assert_int_equal(complexity_report_fill(&plan, points, arena, &result), 0);
        return result;
}

TEST(a_sort_grows_with_n_lg_n) {
        Benchd__RunResult result;

        for (int64_t n = 100; n <= 3200; n *= 2)
                add(0, n, 1, 3.2 * n * log2(n));
        result = report();
        assert_int_equal(result.n_complexity, 1);
        assert_string_equal(result.complexity[0]->area, "a");
        assert_string_equal(result.complexity[0]->name, "sorts");
        assert_string_equal(result.complexity[0]->arg, "n");
        assert_string_equal(result.complexity[0]->order, "n lg n");
        assert_true(fabs(result.complexity[0]->coefficient - 3.2) < 1e-9);
        assert_true(result.complexity[0]->residual < 1e-9);
        assert_true(result.complexity[0]->has_constant && result.complexity[0]->constant == 0);
        assert_int_equal(result.complexity[0]->sizes, SIZES);
}

TEST(a_constant_part_is_told) {
        Benchd__RunResult result;

        for (int64_t n = 100; n <= 3200; n *= 2)
                add(0, n, 1, 150 + 0.5 * n);
        result = report();
        assert_string_equal(result.complexity[0]->order, "n");
        assert_true(fabs(result.complexity[0]->constant - 150) < 1e-9);
        assert_true(fabs(result.complexity[0]->coefficient - 0.5) < 1e-9);
}

TEST(only_what_has_exactly_one_argument_and_three_sizes_is_fitted) {
        add(0, 100, 1, 1);
        add(0, 200, 1, 2);
        add(1, 0, 1, 5);
        for (int64_t n = 1; n <= 8; n *= 2)
                add(2, n, 1, n);
        assert_int_equal(report().n_complexity, 0);
}

TEST(sizes_without_a_time_are_left_out) {
        Benchd__RunResult result;

        for (int64_t n = 100; n <= 3200; n *= 2)
                add(0, n, 1, n == 400 ? NAN : 2.0 * n);
        result = report();
        assert_int_equal(result.n_complexity, 1);
        assert_string_equal(result.complexity[0]->order, "n");
        assert_int_equal(result.complexity[0]->sizes, SIZES - 1);
        for (size_t i = 2; i < SIZES; i++)
                points[i] = NAN;
        assert_int_equal(report().n_complexity, 0);
}

TEST(each_number_of_threads_has_its_own) {
        Benchd__RunResult result;

        for (int64_t n = 100; n <= 3200; n *= 2) {
                add(3, n, 1, 5);
                add(3, n, 2, 0.5 * n);
        }
        result = report();
        assert_int_equal(result.n_complexity, 2);
        assert_string_equal(result.complexity[0]->order, "1");
        assert_int_equal(result.complexity[0]->threads, 1);
        assert_string_equal(result.complexity[1]->order, "n");
        assert_int_equal(result.complexity[1]->threads, 2);
}

TEST(where_none_fits_there_is_no_order) {
        const double wild[] = { 1000, 1, 3000, 2, 9000, 1 };
        Benchd__RunResult result;

        for (size_t i = 0; i < SIZES; i++)
                add(0, 100 << i, 1, wild[i]);
        result = report();
        assert_int_equal(result.n_complexity, 1);
        assert_null(result.complexity[0]->order);
        assert_false(result.complexity[0]->has_coefficient || result.complexity[0]->has_constant);
        assert_true(result.complexity[0]->residual > COMPLEXITY_RESIDUAL_MAX);
}

TEST(what_is_no_size_is_not_fitted) {
        for (int64_t kind = -1; kind < 4; kind++)
                add(0, kind, 1, 10);
        assert_int_equal(report().n_complexity, 0);
}

TEST(real_sizes_are_fitted_and_texts_are_not) {
        Benchd__RunResult result;

        for (double x = 1.5; x < 12; x *= 2)
                add_value(0, argument_real(x), 1, 3 * x);
        add_value(1, argument_text("100"), 1, 10);
        add_value(1, argument_text("200"), 1, 20);
        add_value(1, argument_text("300"), 1, 30);
        result = report();
        assert_int_equal(result.n_complexity, 1);
        assert_string_equal(result.complexity[0]->order, "n");
        assert_true(fabs(result.complexity[0]->coefficient - 3) < 1e-9);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "promises.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/comparison.h"
#include "util/cleanup.h"
#include "util/error.h"

#define MARGIN         0.005
#define WIDE           (2 * MARGIN) /* spread of processes, where an edge of the margin is near */
#define WIDER          (4 * MARGIN) /* ... where hardly a run resolves a truth that is INSIDE or OUTSIDE */
#define NARROW         (MARGIN / 5) /* ... where the other edge is far */
#define INSIDE         (MARGIN / 3) /* truths that ask for processes */
#define OUTSIDE        (5 * MARGIN / 3)
#define PROCESSES_MAX  20000u /* a run that needs more is left out */
#define SAME_NEEDS_MAX 1000u
#define SAME_POWER     0.8

static const ComparisonRule rule = { .confidence = 0.95, .margin = MARGIN };

static void draw(gsl_rng *random, double mean, double spread, double *values, size_t n) {
        for (size_t i = 0; i < n; i++)
                values[i] = mean + gsl_ran_gaussian(random, spread);
}

/* Compares a run of @n processes around @mean. */
static int compare(gsl_rng *random, double mean, double spread, double *values, size_t n, const ComparisonRule *by,
                Comparison *ret_comparison) {
        int r;

        draw(random, mean, spread, values, n);
        r = comparison_paired(values, NULL, n, by, ret_comparison);
        return r ? error_fold(r) : 0;
}

static bool is_same_by_95(const Comparison *comparison, double margin) {
        return log(comparison->high) < margin && log(comparison->low) > -margin;
}

/* ---- promises of one row */

static int count_power(gsl_rng *random, double *values, size_t n, PromiseRates *counts) {
        Comparison told, found, found_half;
        double half;
        int r;

        r = compare(random, 0, WIDE, values, n, &rule, &told);
        if (r)
                return error_trace(r);
        comparison_foresee(&told, &rule);
        half = log(told.high / told.low) / 2;
        r = compare(random, log1p(told.detectable), WIDE, values, n, &rule, &found);
        if (r == 0)
                r = compare(random, log1p(MARGIN) + half, WIDE, values, n, &rule, &found_half);
        if (r)
                return error_trace(r);
        counts->multiple += (log1p(told.detectable) - log1p(MARGIN)) / half;
        counts->found += found.verdict == COMPARISON_SLOWER;
        counts->found_half += found_half.verdict == COMPARISON_SLOWER;
        return 0;
}

static int count_edge(gsl_rng *random, double *values, size_t n, PromiseRates *counts) {
        Comparison found;
        int r;

        r = compare(random, log1p(MARGIN), NARROW, values, n, &rule, &found);
        if (r)
                return error_trace(r);
        counts->same_at_edge += found.verdict == COMPARISON_SAME;
        counts->same_by_95 += is_same_by_95(&found, log1p(MARGIN));
        counts->slower_at_edge += found.verdict == COMPARISON_SLOWER;
        return 0;
}

/* A run whose mean is the truth says what it needs; counts in @n_asked those that do. */
static int count_needed(gsl_rng *random, double truth, double *values, size_t n, PromiseRates *counts,
                size_t *n_asked) {
        Comparison told, found;
        double mean;
        int r;

        draw(random, 0, WIDER, values, n);
        mean = gsl_stats_mean(values, 1, n);
        for (size_t i = 0; i < n; i++)
                values[i] += truth - mean;
        r = comparison_paired(values, NULL, n, &rule, &told);
        if (r)
                return error_fold(r);
        comparison_foresee(&told, &rule);
        if (told.verdict != COMPARISON_UNRESOLVED || told.processes_needed > PROCESSES_MAX)
                return 0;
        r = compare(random, truth, WIDER, values, told.processes_needed, &rule, &found);
        if (r)
                return error_trace(r);
        counts->resolved += found.verdict == (truth > MARGIN ? COMPARISON_SLOWER : COMPARISON_SAME);
        ++*n_asked;
        return 0;
}

int promise_rates(gsl_rng *random, size_t n_draws, size_t n_processes, PromiseRates *ret_rates) {
        _cleanup_(freep) double *values = calloc(PROCESSES_MAX, sizeof *values);
        PromiseRates counts = {};
        size_t n_asked = 0;
        double n = n_draws;
        int r = 0;

        if (!values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_draws && r == 0; i++) {
                r = count_power(random, values, n_processes, &counts);
                if (r == 0)
                        r = count_edge(random, values, n_processes, &counts);
                if (r == 0)
                        r = count_needed(random, i % 2 ? INSIDE : OUTSIDE, values, n_processes, &counts, &n_asked);
        }
        if (r)
                return error_trace(r);
        *ret_rates = (PromiseRates){
                .multiple = counts.multiple / n,
                .found = counts.found / n,
                .found_half = counts.found_half / n,
                .resolved = counts.resolved / fmax(n_asked, 1),
                .same_at_edge = counts.same_at_edge / n,
                .same_by_95 = counts.same_by_95 / n,
                .slower_at_edge = counts.slower_at_edge / n,
        };
        return 0;
}

/* ---- tables */

typedef struct Family {
        Comparison *rows;
        double *p_of_one;
        double *values;
} Family;

static void family_deinit(Family *family) {
        free(family->rows);
        free(family->p_of_one);
        free(family->values);
}

static bool is_difference(const Comparison *row) {
        return row->verdict == COMPARISON_FASTER || row->verdict == COMPARISON_SLOWER;
}

static int family_count(gsl_rng *random, Family *family, size_t n_processes, size_t n_rows, const ComparisonRule *by,
                FamilyRates *counts) {
        bool alone = false, of_one = false, beyond = false;
        int r = 0;

        for (size_t i = 0; i < n_rows && r == 0; i++) {
                Comparison *row = &family->rows[i];

                r = compare(random, log1p(by->margin), NARROW, family->values, n_processes, by, row);
                family->p_of_one[i] = 2 * gsl_cdf_tdist_Q(fabs(row->difference.mean / row->difference.error),
                                                          n_processes - 1);
                alone |= is_difference(row);
        }
        if (r == 0)
                r = comparison_holm_adjust(family->p_of_one, n_rows);
        for (size_t i = 0; i < n_rows; i++)
                of_one |= is_difference(&family->rows[i]) && family->p_of_one[i] < 1 - by->confidence;
        if (r == 0)
                r = comparisons_adjust(family->rows, n_rows, by);
        for (size_t i = 0; i < n_rows; i++)
                beyond |= is_difference(&family->rows[i]);
        counts->alone += alone;
        counts->of_one += of_one;
        counts->beyond += beyond;
        return error_trace(r);
}

int family_rates(gsl_rng *random, size_t n_draws, size_t n_processes, size_t n_rows, double margin,
                FamilyRates *ret_rates) {
        const ComparisonRule by = { .confidence = rule.confidence, .margin = margin };
        _cleanup_(family_deinit) Family family = {
                .rows = calloc(n_rows, sizeof *family.rows),
                .p_of_one = calloc(n_rows, sizeof *family.p_of_one),
                .values = calloc(n_processes, sizeof *family.values),
        };
        FamilyRates counts = {};
        double n = n_draws;

        if (!family.rows || !family.p_of_one || !family.values)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_draws; i++) {
                int r = family_count(random, &family, n_processes, n_rows, &by, &counts);

                if (r)
                        return error_trace(r);
        }
        *ret_rates = (FamilyRates){ counts.alone / n, counts.of_one / n, counts.beyond / n };
        return 0;
}

/* ---- what "same" takes */

static int same_share(gsl_rng *random, size_t n_draws, double truth, double spread, bool by_95, size_t n,
                double *ret_share) {
        double values[SAME_NEEDS_MAX];
        size_t n_same = 0;

        for (size_t i = 0; i < n_draws; i++) {
                Comparison found;
                int r = compare(random, truth, spread, values, n, &rule, &found);

                if (r)
                        return error_trace(r);
                n_same += by_95 ? is_same_by_95(&found, log1p(MARGIN)) : found.verdict == COMPARISON_SAME;
        }
        *ret_share = (double)n_same / n_draws;
        return 0;
}

static int same_need(gsl_rng *random, size_t n_draws, double truth, double spread, bool by_95, size_t *ret_n) {
        size_t few = COMPARISON_N_MIN - 1, enough = SAME_NEEDS_MAX;

        while (enough - few > 1) {
                size_t middle = (few + enough) / 2;
                double share;
                int r;

                r = same_share(random, n_draws, truth, spread, by_95, middle, &share);
                if (r)
                        return error_trace(r);
                if (share < SAME_POWER)
                        few = middle;
                else
                        enough = middle;
        }
        *ret_n = enough;
        return 0;
}

int same_needs(gsl_rng *random, size_t n_draws, double truth, double spread, SameNeeds *ret_needs) {
        int r;

        r = same_need(random, n_draws, truth * MARGIN, spread * MARGIN, false, &ret_needs->by_90);
        if (r == 0)
                r = same_need(random, n_draws, truth * MARGIN, spread * MARGIN, true, &ret_needs->by_95);
        return error_trace(r);
}

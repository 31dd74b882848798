/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rank-test.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct Ranks {
        double u;
        double ties; /* sum of t^3 - t over the groups of equal values */
        bool tied;
} Ranks;

static size_t equal_run(const double *sorted, size_t n, double value) {
        size_t run = 0;

        while (run < n && sorted[run] == value)
                run++;
        return run;
}

/* Merges both sides: a value of the first beats all of the second that went before it. */
static Ranks ranks_of(const double *a, size_t n_a, const double *b, size_t n_b) {
        Ranks ranks = {};

        for (size_t i = 0, j = 0; i < n_a || j < n_b;) {
                double value = j == n_b || (i < n_a && a[i] < b[j]) ? a[i] : b[j];
                double run_a = equal_run(a + i, n_a - i, value), run_b = equal_run(b + j, n_b - j, value);
                double run = run_a + run_b;

                ranks.u += run_a * (j + run_b / 2);
                ranks.ties += run * run * run - run;
                i += run_a;
                j += run_b;
        }
        ranks.tied = ranks.ties > 0;
        return ranks;
}

/*
 * How many of the orders of both sides give each U up to @n_a * @n_b: the coefficients of the Gaussian binomial, built
 * factor by factor, (1 - q^(n_b + i)) / (1 - q^i).
 */
static void orders_count(size_t n_a, size_t n_b, double *counts) {
        size_t n = n_a * n_b + 1;

        counts[0] = 1;
        for (size_t i = 1; i <= n_a; i++) {
                for (size_t u = n - 1; u >= n_b + i; u--)
                        counts[u] -= counts[u - n_b - i];
                for (size_t u = i; u < n; u++)
                        counts[u] += counts[u - i];
        }
}

static int exact_p(double u, size_t n_a, size_t n_b, double *ret_p) {
        _cleanup_(freep) double *counts = NULL;
        double below = 0, all = 0, nearer = fmin(u, n_a * n_b - u);

        counts = calloc(n_a * n_b + 1, sizeof *counts);
        if (!counts)
                return error_origin(-ENOMEM);
        orders_count(n_a, n_b, counts);
        for (size_t i = 0; i <= n_a * n_b; i++) {
                all += counts[i];
                if (i <= nearer)
                        below += counts[i];
        }
        *ret_p = fmin(2 * below / all, 1);
        return 0;
}

static double normal_p(const Ranks *ranks, double n_a, double n_b) {
        double n = n_a + n_b;
        double variance = n_a * n_b / 12 * (n + 1 - ranks->ties / (n * (n - 1)));
        double distance = fmax(fabs(ranks->u - n_a * n_b / 2) - 0.5, 0);

        return variance > 0 ? 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance)) : 1;
}

int rank_test(double *a, size_t n_a, double *b, size_t n_b, RankTest *ret_test) {
        RankTest test;
        Ranks ranks;
        int r;

        if (n_a == 0 || n_b == 0)
                return RANK_TEST_E_EMPTY;
        quantile_sort(a, n_a);
        quantile_sort(b, n_b);
        ranks = ranks_of(a, n_a, b, n_b);
        test = (RankTest){ .u = ranks.u, .p_value = normal_p(&ranks, n_a, n_b) };
        if (!ranks.tied && n_a <= RANK_TEST_EXACT_MAX && n_b <= RANK_TEST_EXACT_MAX) {
                r = exact_p(ranks.u, n_a, n_b, &test.p_value);
                if (r)
                        return error_trace(r);
        }
        *ret_test = test;
        return 0;
}

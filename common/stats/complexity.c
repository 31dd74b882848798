/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/complexity.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

static double of_1(double size) {
        return 1;
}

static double of_n(double size) {
        return size;
}

static double of_n_lg_n(double size) {
        return size * log2(size);
}

static double of_n_2(double size) {
        return size * size;
}

static double of_n_3(double size) {
        return size * size * size;
}

const ComplexityForm complexity_forms[_COMPLEXITY_ORDER_N] = {
        [COMPLEXITY_1] = { "1", of_1 },
        [COMPLEXITY_LG_N] = { "lg n", log2 },
        [COMPLEXITY_N] = { "n", of_n },
        [COMPLEXITY_N_LG_N] = { "n lg n", of_n_lg_n },
        [COMPLEXITY_N_2] = { "n^2", of_n_2 },
        [COMPLEXITY_N_3] = { "n^3", of_n_3 },
};

const ComplexityForm *complexity_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(complexity_forms); i++)
                if (strcmp(complexity_forms[i].name, name) == 0)
                        return &complexity_forms[i];
        return NULL;
}

/* How many different sizes there are, counted as far as it matters. */
static size_t sizes_different(const double *sizes, size_t n) {
        double different[COMPLEXITY_CONSTANT_SIZES_MIN];
        size_t n_different = 0;

        for (size_t i = 0; i < n && n_different < N_ELEMENTS(different); i++) {
                size_t j = 0;

                while (j < n_different && different[j] != sizes[i])
                        j++;
                if (j == n_different)
                        different[n_different++] = sizes[i];
        }
        return n_different;
}

typedef struct Sweep {
        const double *sizes;
        const double *times;
        size_t n;
        double *x; /* room for n */
        double *weights;
} Sweep;

typedef struct Line {
        ComplexityOrder order;
        double constant;
        double coefficient;
        double squares; /* sum of the squared relative deviations */
} Line;

static void sweep_transform(const Sweep *sweep, ComplexityOrder order) {
        for (size_t i = 0; i < sweep->n; i++)
                sweep->x[i] = complexity_forms[order].of(sweep->sizes[i]);
}

/* ---- c f(n) */

static double residual_of(const Sweep *sweep, double squares) {
        return sqrt(squares / sweep->n);
}

/* The best line through the origin. The residuals of all are noted. */
static Line sweep_proportion(const Sweep *sweep, double residuals[static _COMPLEXITY_ORDER_N]) {
        Line best = { .squares = INFINITY };

        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++) {
                Line line = { .order = order };
                double variance;

                sweep_transform(sweep, order);
                gsl_fit_wmul(sweep->x, 1, sweep->weights, 1, sweep->times, 1, sweep->n, &line.coefficient, &variance,
                                &line.squares);
                residuals[order] = residual_of(sweep, line.squares);
                if (line.squares < best.squares)
                        best = line;
        }
        return best;
}

/* ---- a + c f(n) */

/* True if @line is possible: see the header. The sizes stand transformed. */
static bool line_is_growth(const Line *line, const Sweep *sweep) {
        double least = INFINITY, most = 0;

        for (size_t i = 0; i < sweep->n; i++) {
                least = fmin(least, line->coefficient * sweep->x[i]);
                most = fmax(most, line->coefficient * sweep->x[i]);
        }
        if (line->constant < 0 && line->order != COMPLEXITY_LG_N)
                return false;
        return line->coefficient > 0 && least + line->constant > 0 && most >= line->constant;
}

static Line sweep_line(const Sweep *sweep) {
        Line best = { .squares = INFINITY };

        for (ComplexityOrder order = COMPLEXITY_LG_N; order < _COMPLEXITY_ORDER_N; order++) {
                Line line = { .order = order };
                double covariance[3];

                sweep_transform(sweep, order);
                gsl_fit_wlinear(sweep->x, 1, sweep->weights, 1, sweep->times, 1, sweep->n, &line.constant,
                                &line.coefficient, &covariance[0], &covariance[1], &covariance[2], &line.squares);
                if (line_is_growth(&line, sweep) && line.squares < best.squares)
                        best = line;
        }
        return best;
}

/* True if the constant of @line says so much more than @proportion that it is there. */
static bool line_is_earned(const Line *line, const Line *proportion, const Sweep *sweep) {
        double per_degree = line->squares / (sweep->n - 2);
        double f = (proportion->squares - line->squares) / per_degree;

        return residual_of(sweep, line->squares) <= COMPLEXITY_RESIDUAL_MAX && line->squares < proportion->squares &&
               gsl_cdf_fdist_Q(f, 1, sweep->n - 2) <= COMPLEXITY_CONSTANT_P;
}

/* ---- */

static ComplexityFit sweep_best(const Sweep *sweep, bool may_have_constant) {
        ComplexityFit fit = {};
        Line best, line;

        for (size_t i = 0; i < sweep->n; i++)
                sweep->weights[i] = 1 / (sweep->times[i] * sweep->times[i]);
        best = sweep_proportion(sweep, fit.residuals);
        if (may_have_constant) {
                line = sweep_line(sweep);
                if (line_is_earned(&line, &best, sweep))
                        best = line;
        }
        fit.order = best.order;
        fit.coefficient = best.coefficient;
        fit.constant = best.constant;
        fit.residual = residual_of(sweep, best.squares);
        fit.fits = fit.residual <= COMPLEXITY_RESIDUAL_MAX;
        return fit;
}

int complexity_fit(const double *sizes, const double *times, size_t n, ComplexityFit *ret_fit) {
        _cleanup_(freep) double *work = NULL;
        Sweep sweep = { .sizes = sizes, .times = times, .n = n };
        size_t n_different;

        for (size_t i = 0; i < n; i++)
                if (sizes[i] < 1 || times[i] <= 0)
                        return COMPLEXITY_E_NOT_POSITIVE;
        n_different = sizes_different(sizes, n);
        if (n_different < COMPLEXITY_SIZES_MIN)
                return COMPLEXITY_E_TOO_FEW;
        work = malloc(2 * n * sizeof *work);
        if (!work)
                return error_origin(-ENOMEM);
        sweep.x = work;
        sweep.weights = work + n;
        *ret_fit = sweep_best(&sweep, n_different >= COMPLEXITY_CONSTANT_SIZES_MIN);
        return 0;
}

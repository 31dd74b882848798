/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/complexity.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

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

/* Whether there are as many different sizes as a fit needs. */
static bool sizes_suffice(const double *sizes, size_t n) {
        double different[COMPLEXITY_SIZES_MIN];
        size_t n_different = 0;

        for (size_t i = 0; i < n && n_different < COMPLEXITY_SIZES_MIN; i++) {
                size_t j = 0;

                while (j < n_different && different[j] != sizes[i])
                        j++;
                if (j == n_different)
                        different[n_different++] = sizes[i];
        }
        return n_different == COMPLEXITY_SIZES_MIN;
}

typedef struct Sweep {
        const double *sizes;
        const double *times;
        size_t n;
        double *work; /* room for 2 n */
} Sweep;

/* The relative residual of @form, and its coefficient. */
static double sweep_fit(const Sweep *sweep, const ComplexityForm *form, double *ret_coefficient) {
        double *x = sweep->work, *weights = sweep->work + sweep->n, variance, squares;

        for (size_t i = 0; i < sweep->n; i++) {
                x[i] = form->of(sweep->sizes[i]);
                weights[i] = 1 / (sweep->times[i] * sweep->times[i]);
        }
        gsl_fit_wmul(x, 1, weights, 1, sweep->times, 1, sweep->n, ret_coefficient, &variance, &squares);
        return sqrt(squares / sweep->n);
}

static ComplexityFit sweep_best(const Sweep *sweep) {
        ComplexityFit fit = { .residual = INFINITY };

        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++) {
                double coefficient, residual;

                residual = sweep_fit(sweep, &complexity_forms[order], &coefficient);
                fit.residuals[order] = residual;
                if (residual < fit.residual) {
                        fit.order = order;
                        fit.coefficient = coefficient;
                        fit.residual = residual;
                }
        }
        fit.fits = fit.residual <= COMPLEXITY_RESIDUAL_MAX;
        return fit;
}

int complexity_fit(const double *sizes, const double *times, size_t n, ComplexityFit *ret_fit) {
        _cleanup_(freep) double *work = NULL;

        for (size_t i = 0; i < n; i++)
                if (sizes[i] < 1 || times[i] <= 0)
                        return COMPLEXITY_E_NOT_POSITIVE;
        if (!sizes_suffice(sizes, n))
                return COMPLEXITY_E_TOO_FEW;
        work = malloc(2 * n * sizeof *work);
        if (!work)
                return error_origin(-ENOMEM);
        *ret_fit = sweep_best(&(Sweep){ .sizes = sizes, .times = times, .n = n, .work = work });
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How a time grows with a size: the fit of y = c f(n), or y = a + c f(n), for each f of a table, by least squares.
 *
 * The squares are of relative deviations (weights 1 / y^2): errors of times are relative, and over four decades of
 * sizes the largest alone would otherwise decide. The residual is the root of the mean of those squares (divisor n).
 *
 * Two free numbers come near to almost anything at a few sizes, so the constant part has to earn its place. It is taken
 * only over COMPLEXITY_CONSTANT_SIZES_MIN different sizes; where it lessens the squares as Fisher's F (of 1 and n - 2
 * degrees of freedom) does at COMPLEXITY_CONSTANT_P of a constant that is none; where it leaves a residual
 * within the same limit; and where at the largest size the growth is no less than the constant, for else the sizes are too
 * small to tell one growth from another. It is a cost, so not negative; of lg n it is the unit in which n is counted, of
 * either sign. A jump, as where a cache or a branch predictor is full, fits none of them, with a constant or without.
 *
 * A form is named only where what it leaves over is of the size of the errors of times. Times of 2 % each leave 1.4 to 1.8 % beside
 * their own form over three to eight sizes; sqrt n leaves 12 to 23 % beside lg n over three to five doublings, and n^1.5 beside n lg n.
 * A growth that follows a form more closely over the sizes that were measured is not told from it, as n^1.3 is not from n lg n
 * over three (1.7 %).
 */

#include <stdbool.h>
#include <stddef.h>

#define COMPLEXITY_SIZES_MIN    3u
#define COMPLEXITY_RESIDUAL_MAX 0.05 /* beyond it no order is said to fit */

#define COMPLEXITY_CONSTANT_SIZES_MIN 4u
#define COMPLEXITY_CONSTANT_P         0.01

enum {
        _COMPLEXITY_E_SUCCESS,

        COMPLEXITY_E_TOO_FEW,      /* under COMPLEXITY_SIZES_MIN different sizes */
        COMPLEXITY_E_NOT_POSITIVE, /* a time of 0 or less, or a size under 1 */
};

typedef enum ComplexityOrder {
        COMPLEXITY_1,
        COMPLEXITY_LG_N,
        COMPLEXITY_N,
        COMPLEXITY_N_LG_N,
        COMPLEXITY_N_2,
        COMPLEXITY_N_3,
        _COMPLEXITY_ORDER_N,
} ComplexityOrder;

/* A row of the table, also for printing. lg is of base 2. */
typedef struct ComplexityForm {
        const char *name; /* "n lg n" */
        double (*of)(double size);
} ComplexityForm;

typedef struct ComplexityFit {
        ComplexityOrder order;                 /* the one with the least residual */
        double coefficient;                    /* in the unit of the times */
        double constant;                       /* the same; 0: it needs none */
        double residual;                       /* relative */
        bool fits;                             /* residual within COMPLEXITY_RESIDUAL_MAX */
        double residuals[_COMPLEXITY_ORDER_N]; /* without a constant */
} ComplexityFit;

extern const ComplexityForm complexity_forms[_COMPLEXITY_ORDER_N];

/* The row called @name; NULL if there is none. */
const ComplexityForm *complexity_find(const char *name);

/* Fits @n pairs of a size and a time, in any order. Returns 0, E_TOO_FEW, E_NOT_POSITIVE, or a negative errno. */
int complexity_fit(const double *sizes, const double *times, size_t n, ComplexityFit *ret_fit);

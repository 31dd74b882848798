/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/holm.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

int holm_adjust(double *p_values, size_t n) {
        _cleanup_(freep) size_t *order = NULL;
        double least = 0;

        order = malloc((n + 1) * sizeof *order);
        if (!order)
                return error_origin(-ENOMEM);
        gsl_sort_index(order, p_values, 1, n);
        for (size_t i = 0; i < n; i++) {
                double *p = &p_values[order[i]];

                least = fmax(least, fmin(*p * (n - i), 1));
                *p = least;
        }
        return 0;
}

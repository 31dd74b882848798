/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/company.h"

#include <math.h>

static bool batch_is_together(const Sample *samples, uint32_t n_threads) {
        double first_start = INFINITY, last_start = 0, first_stop = INFINITY, last_stop = 0;

        for (uint32_t i = 0; i < n_threads; i++) {
                double start = samples[i].start_ticks, stop = start + samples[i].ticks;

                first_start = fmin(first_start, start);
                last_start = fmax(last_start, start);
                first_stop = fmin(first_stop, stop);
                last_stop = fmax(last_stop, stop);
        }
        return first_stop - last_start >= COMPANY_ENOUGH * (last_stop - first_start);
}

void company_add(Company *company, const Sample *samples, size_t n, uint32_t n_threads) {
        for (size_t i = 0; i + n_threads <= n; i += n_threads) {
                company->n_batches++;
                company->n_together += batch_is_together(samples + i, n_threads);
        }
}

double company_share(const Company *company) {
        return company->n_batches > 0 ? (double)company->n_together / company->n_batches : 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/summary.h"

#include "stats/pool.h"
#include "stats/quantile.h"
#include "util/error.h"

int sample_summarize(double *values, size_t n, SampleSummary *ret_summary) {
        const Pool *only;
        Pool pool = {};
        int r;

        values_sort(values, n);
        r = pool_add(&pool, values, n);
        only = &pool;
        if (r == 0)
                r = pool_summarize(&only, 1, ret_summary);
        pool_deinit(&pool);
        return r > 0 ? r : error_trace(r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Fits of sweeps: a curve is drawn by the orders of growth that the daemon fits, and none where a fit cannot be read.
 */

#include "ctl/show/report.h"

#include <jansson.h>

#include "stats/complexity.h"
#include "test.h"

static double time_ns(const char *order, double size) {
        json_t *sweep = json_pack("{s:s, s:f, s:f}", "order", order, "coefficient", 2.0, "constant", 3.0);
        const double ns = report_sweep_time_ns(sweep, size);

        json_decref(sweep);
        return ns;
}

TEST(each_order_grows_as_the_daemon_fits_it) {
        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++)
                for (double size = 2; size < 1e6; size *= 3)
                        assert_true(fabs(time_ns(complexity_forms[order].name, size) /
                                                                    (3 + 2 * complexity_forms[order].of(size)) -
                                                    1) < 1e-12);
}

TEST(a_fit_that_cannot_be_read_has_no_time) {
        json_t *unfitted = json_pack("{s:n, s:f}", "order", "coefficient", 2.0),
               *bare = json_pack("{s:s}", "order", "n");

        assert_true(isnan(time_ns("n!", 3)));
        assert_true(isnan(report_sweep_time_ns(unfitted, 3)));
        assert_true(isnan(report_sweep_time_ns(bare, 3)));
        json_decref(unfitted);
        json_decref(bare);
}

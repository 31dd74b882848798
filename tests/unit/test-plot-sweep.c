/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Pictures of sweeps: the fit is drawn by the orders of growth that the daemon fits.
 */

#include "ctl/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "stats/complexity.h"

static void each_order_grows_as_the_daemon_fits_it(void **state) {
        for (ComplexityOrder order = 0; order < _COMPLEXITY_ORDER_N; order++)
                for (double size = 2; size < 1e6; size *= 3)
                        assert_true(fabs(plot_growth(complexity_forms[order].name, size) /
                                                                    complexity_forms[order].of(size) -
                                                    1) < 1e-12);
        assert_true(isnan(plot_growth("n!", 3)));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(each_order_grows_as_the_daemon_fits_it),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

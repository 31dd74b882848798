/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The processor's square root is libm's, to the last bit: both round correctly.
 */

#include "clock/square-root.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define N_TRIES 100000

static void assert_same(double x) {
        double ours = square_root(x), libms = sqrt(x);

        assert_memory_equal(&ours, &libms, sizeof ours);
}

static void any_number_has_the_root_that_libm_finds(void **state) {
        long seed = time(NULL);

        printf("seed %ld\n", seed);
        srand48(seed);
        for (int i = 0; i < N_TRIES; i++)
                assert_same(ldexp(drand48(), (int)(drand48() * 2000) - 1000));
}

static void the_edges_have_too(void **state) {
        const double edges[] = { 0, -0.0, 1, 2, 4, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, INFINITY };

        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
                assert_same(edges[i]);
}

static void a_negative_number_has_none(void **state) {
        assert_true(isnan(square_root(-1)));
        assert_true(isnan(square_root(NAN)));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(any_number_has_the_root_that_libm_finds),
                cmocka_unit_test(the_edges_have_too),
                cmocka_unit_test(a_negative_number_has_none),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The processor's square root is libm's, to the last bit: both round correctly. */

#include "clock/square-root.h"

#include <float.h>

#include "test.h"

#define N_TRIES 100000

static void assert_same(double x) {
        double ours = square_root(x), libms = sqrt(x);

        assert_memory_equal(&ours, &libms, sizeof ours);
}

TEST(any_number_has_the_root_that_libm_finds) {
        seed_random();
        for (int i = 0; i < N_TRIES; i++)
                assert_same(ldexp(drand48(), (int)(drand48() * 2000) - 1000));
}

TEST(the_edges_have_too) {
        const double edges[] = { 0, -0.0, 1, 2, 4, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, INFINITY };

        for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
                assert_same(edges[i]);
}

TEST(a_negative_number_has_none) {
        assert_true(isnan(square_root(-1)));
        assert_true(isnan(square_root(NAN)));
}

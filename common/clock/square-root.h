/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The square root as the processor's own instruction, at every level of optimisation.
 *
 * sqrt() calls libm unless the compiler both optimises and may forget errno; the runner links libc only.
 */

#include <emmintrin.h>

/* NAN where @x is negative. */
static inline double square_root(double x) {
        const __m128d v = _mm_set_sd(x);

        return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
}

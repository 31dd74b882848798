/* SPDX-License-Identifier: MIT */

/*
 * The functions that Sestoft measures with Mark1 to Mark7: a short one of twenty multiplications, and those of math.h.
 *
 * The expected time of `multiply`: each multiplication waits for the one before it, so twenty of them take twenty times the
 * latency of a floating-point multiplication (4 cycles on most cores since Skylake, 3 on Zen), unless the compiler may
 * reorder them (-ffast-math turns twenty into five). The conversion of the index and the addition to the sum overlap
 * with the multiplications of the next call, since nothing in it waits for them: one call in a row of many costs less than
 * the latency from its argument to its result.
 */

#include "multiply.h"

#include <benchd/bench.h>
#include <math.h>

BENCH_AREA(functions, .about = "the functions of Sestoft's Mark1 to Mark7");

BENCH(multiply, .about = "20 dependent multiplications of doubles") {
        multiply_many(b);
}

BENCH(multiply_latency, .about = "the same, each call waiting for the result of the one before") {
        double last = 0;

        bench_loop(b)
                last = multiply(bench_index(b) + (last > 1e300));
        bench_use(last);
}

BENCH(return_x, .about = "multiply returning x at once: too short to be told from its loop") {
        double sum = 0;

        bench_loop(b)
                sum += 1.1 * (double)(bench_index(b) & 0xFF);
        bench_use(sum);
}

/* One benchmark a function: @expression_ of x, which is @first_ + @step_ times 0 to 255, and opaque to the compiler. */
#define FUNCTION(name_, first_, step_, expression_)                                                                    \
 BENCH(name_, .about = #expression_) {                                                                                 \
  double sum = 0;                                                                                                      \
                                                                                                                       \
  bench_loop(b) {                                                                                                      \
   double x = (first_) + (step_) * (double)(bench_index(b) & 0xFF);                                                    \
                                                                                                                       \
   sum += (expression_);                                                                                               \
  }                                                                                                                    \
  bench_use(sum);                                                                                                      \
 }                                                                                                                     \
 _Static_assert(1, "a semicolon may follow")

FUNCTION(pow, 0.0, 0.1, pow(10.0, x));
FUNCTION(exp, 0.0, 0.1, exp(x));
FUNCTION(log, 0.1, 0.1, log(x));
FUNCTION(sin, 0.0, 0.1, sin(x));
FUNCTION(cos, 0.0, 0.1, cos(x));
FUNCTION(tan, 0.0, 0.1, tan(x));
FUNCTION(asin, 0.0, 1.0 / 256, asin(x));
FUNCTION(acos, 0.0, 1.0 / 256, acos(x));
FUNCTION(atan, 0.0, 1.0 / 256, atan(x));

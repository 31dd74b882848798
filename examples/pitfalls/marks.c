/* SPDX-License-Identifier: MIT */

/*
 * Sestoft's first four attempts to time twenty multiplications, as he takes them before his harness is right.
 *
 * Mark0 times one call. The clock's step and cost are as large as the call (benchd takes the mean cost off, a stopwatch
 * does not), and no next call overlaps with this one, as calls do in a loop. Mark1 times many and drops the results, so
 * the compiler drops the calls, and the time is that of an empty loop. Mark2 uses the sum, and believes one number. Mark3
 * takes ten, which show their spread: `benchctl run --method=mark3` prints each.
 */

#include "../sestoft/multiply.h"

#include <benchd/bench.h>

BENCH_AREA(marks, .about = "Mark0 to Mark3: 20 multiplications, timed ever better");

BENCH(mark0, .about = "wrong: one call, between two readings of a clock that take as long", .processes = 1,
                .iterations = 1, .samples = 10) {
        multiply_many(b);
}

BENCH(mark1, .about = "wrong: many calls, whose results nobody uses", .processes = 1) {
        bench_loop(b)
                multiply(bench_index(b));
}

BENCH(mark2, .about = "better: their sum is used; but one number does not say how good it is", .processes = 1,
                .samples = 1) {
        multiply_many(b);
}

BENCH(mark3, .about = "right, as far as one process goes: ten numbers", .processes = 1, .samples = 10) {
        multiply_many(b);
}

BENCH(all_processes, .about = "right: ten processes, so that layout and start vary too") {
        multiply_many(b);
}

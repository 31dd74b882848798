/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compiled once with a header of before the freeze, and kept compiled: it is refused in words. */

#include <benchd/bench.h>

BENCH(empty) {
        bench_loop(b) {
        }
}

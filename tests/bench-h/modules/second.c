/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A second file of the same module, with names of its own and one that the first has too. */

#include <benchd/bench.h>

BENCH_AREA(second_area);

BENCH(second_file, .area = "second_area") {
        bench_loop(b)
                ;
}

BENCH(plain, .area = "second_area") {
        bench_loop(b)
                ;
}

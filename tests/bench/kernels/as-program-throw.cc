/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A C++ exception: the unwinder looks at every object of the process. */

#include <benchd/bench.h>

#include <stdexcept>

static __attribute__((noinline)) void number_check(int number) {
        if (number >= 0)
                throw std::runtime_error("not negative");
}

BENCH(exception, .area = "as_program", .about = "a C++ exception, thrown and caught") {
        int number = 1;

        bench_loop(b) {
                bench_opaque(number);
                try {
                        number_check(number);
                } catch (const std::exception &exception) {
                        bench_use(exception.what());
                }
        }
}

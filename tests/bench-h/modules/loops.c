/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bodies whose machine code is read. Those named bad_ hold what the reader must find. */

#include <benchd/bench.h>
#include <math.h>
#include <stdlib.h>

BENCH(empty) {
        bench_loop(b)
                ;
}

BENCH(multiply) {
        uint64_t value = 3, operand = 5;

        bench_opaque(operand);
        bench_loop(b) {
                value *= operand;
                bench_opaque(value);
        }
        bench_use(value);
}

BENCH(use_scalars) {
        int integer = 1;
        char letter = 'a';
        float narrow = 1;
        double real = 1;
        const char *pointer = "";

        bench_loop(b) {
                bench_opaque(integer);
                bench_opaque(letter);
                bench_opaque(narrow);
                bench_opaque(real);
                bench_opaque(pointer);
                bench_use(integer);
                bench_use(letter == 'b');
                bench_use(narrow);
                bench_use(real);
                bench_use(pointer);
        }
}

BENCH(opaque_pointer) {
        const char *pointer = "";

        bench_loop(b) {
                bench_opaque(pointer);
                bench_use(pointer + 1);
        }
}

BENCH(root) {
        double x = 2;

        bench_loop(b) {
                bench_opaque(x);
                bench_use(sqrt(x) * x + 1);
        }
}

BENCH(repeated) {
        uint64_t value = 3, operand = 5;

        bench_opaque(operand);
        bench_loop(b)
                BENCH_REPEAT10(value *= operand; bench_opaque(value));
        bench_use(value);
}

BENCH(paused) {
        double value = 1;

        bench_loop(b) {
                bench_pause(b);
                bench_resume(b);
                value *= 1.0001;
                bench_opaque(value);
        }
        bench_use(value);
}

BENCH(bad_call) {
        bench_loop(b)
                bench_use(rand());
}

BENCH(bad_memory) {
        volatile int value = 0;

        bench_loop(b)
                bench_use(value);
}

BENCH(bad_branches) {
        unsigned value = 1;

        bench_loop(b) {
                bench_opaque(value);
                if (value == 7)
                        bench_clobber();
                bench_opaque(value);
                if (value == 9)
                        bench_clobber();
                bench_opaque(value);
                if (value == 11)
                        __asm__ volatile("nop");
        }
}

/* Without bench_opaque() the root leaves the loop: the reason why there is such a thing. */
BENCH(bad_root) {
        double x = 2;

        bench_loop(b)
                bench_use(sqrt(x) * x + 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Compiled once with the header of its day, and kept compiled: all that a module of ABI 1 can ask of a runner. Each body
 * leaves figures that a test knows.
 */

#include <benchd/bench.h>

static int n_setups, n_teardowns, n_resets;

static void setup(struct bench *b) {
        (void)b;
        n_setups++;
}

static void teardown(struct bench *b) {
        (void)b;
        n_teardowns++;
}

static void reset(struct bench *b) {
        (void)b;
        n_resets++;
}

static void fill(void *input, uint64_t index, void *ctx) {
        *(uint64_t *)input = index + *(uint64_t *)ctx;
}

BENCH_AREA(hushed, .about = "an area that is run by name", .hidden = 1);

BENCH(sweep, .title = "A sweep", .about = "arguments, items and bytes", .area = "told",
                .args = BENCH_PRODUCT(BENCH_ARGS(m, -3, 5), BENCH_RANGE(n, 1, 10, 4))) {
        bench_items(b, 2);
        bench_bytes(b, 16);
        bench_ops(b, 4);
        bench_counter(b, "sum", (double)(bench_arg(b, 0) * 100 + bench_arg(b, 1)));
        bench_counter(b, "threads", (double)(bench_threads(b) + bench_thread(b)));
        bench_loop(b) {
                bench_clobber();
        }
}

BENCH(callbacks, .area = "told", .setup = setup, .teardown = teardown, .reset = reset, .iterations = 3, .samples = 5,
                .processes = 2, .min_time_ns = 1000, .warmup_ms = 1, .prime = BENCH_NO) {
        uint64_t n_wrong = 0;

        bench_loop(b) {
                n_wrong += bench_batch(b) != 3 || bench_index(b) >= 3;
        }
        bench_counter(b, "setups", n_setups);
        bench_counter(b, "resets", n_resets > 0);
        bench_counter(b, "wrong", (double)n_wrong);
}

BENCH(inputs, .area = "told", .reference = 1) {
        uint64_t offset = 1000, n_wrong = 0;

        bench_inputs(b, sizeof(uint64_t), fill, NULL, &offset);
        bench_loop(b) {
                uint64_t *input = bench_input(b);

                n_wrong += *input != 1000 + bench_index(b);
        }
        bench_counter(b, "wrong", (double)n_wrong);
}

BENCH(pauses, .area = "told") {
        uint64_t x = 1;

        bench_loop(b) {
                bench_pause(b);
                bench_opaque(x);
                bench_resume(b);
                BENCH_REPEAT10(bench_use(x * 3));
        }
}

BENCH(skips, .area = "told") {
        bench_skip(b, "as it wants, %d", 7);
        bench_loop(b) {
        }
}

BENCH(fails, .area = "told") {
        bench_fail(b, "as it wants, %d", 8);
        bench_loop(b) {
        }
}

BENCH(throws, .area = "told") {
        b->threw(b, "what C++ throws");
        bench_loop(b) {
        }
}

BENCH(breaks, .area = "told") {
        bench_loop(b) {
                break;
        }
}

BENCH(two, .area = "hushed", .threads = BENCH_THREADS(1, 2)) {
        bench_loop(b) {
        }
}

BENCH(older, .area = "hushed", .method = "mark4") {
        bench_loop(b) {
        }
}

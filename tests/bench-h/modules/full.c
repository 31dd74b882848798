/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Every option and every name of bench.h, written once; compiled as C and as C++. The tests never run the bodies: they
 * read what is registered.
 */

#include <benchd/bench.h>

struct large {
        double values[8];
};

static void nothing(struct bench *b) {
        (void)b;
}

static void fill(void *input, uint64_t index, void *ctx) {
        (void)input, (void)index, (void)ctx;
}

BENCH_AREA(first_area, .about = "an area", .hidden = 1);

BENCH(plain) {
        bench_loop(b)
                ;
}

BENCH(every_option, .title = "Any text: 100 %", .about = "one line", .area = "first_area",
                .args = BENCH_ARGS(n, 1, -2, 3000000000), .threads = BENCH_THREADS(1, 2, 4), .ops = 7, .hidden = 1,
                .reference = 1, .setup = nothing, .teardown = nothing, .reset = nothing, .iterations = 9, .samples = 11,
                .processes = 13) {
        bench_loop(b)
                ;
}

BENCH(other_options, .min_time_ns = 15, .warmup_ms = 17, .prime = BENCH_NO, .method = "mark4", .cpus = 3) {
        bench_loop(b)
                ;
}

BENCH(called_as_told, .iterations = 1, .warmup_ms = BENCH_NO_WARMUP) {
        bench_loop(b)
                ;
}

BENCH(ranged, .args = BENCH_RANGE(n, 100, 1638400, 2)) {
        bench_loop(b)
                ;
}

BENCH(product, .args = BENCH_PRODUCT(BENCH_ARGS(m, 1, 2), BENCH_RANGE(n, 1, 8, 2))) {
        bench_loop(b)
                ;
}

BENCH(product4, .args = BENCH_PRODUCT4(BENCH_ARGS(i, 1), BENCH_ARGS(j, 2), BENCH_ARGS(k, 3), BENCH_ARGS(l, 4))) {
        bench_loop(b)
                ;
}

BENCH(reals, .args = BENCH_REALS(x, 0.5, -0.75f, 3, 1e300)) {
        bench_loop(b)
                bench_use(bench_arg_real(b, 0));
}

BENCH(texts, .args = BENCH_TEXTS(s, "0", "1e300")) {
        bench_loop(b)
                bench_use(bench_arg_text(b, 0));
}

BENCH(linear, .args = BENCH_LINEAR(n, -5, 100, 5)) {
        bench_loop(b)
                ;
}

BENCH(product_of_kinds, .args = BENCH_PRODUCT4(BENCH_REALS(x, 0.25), BENCH_TEXTS(s, "a", "b"), BENCH_LINEAR(n, 0, 4, 2),
                                        BENCH_ARGS(m, 7))) {
        bench_loop(b)
                ;
}

BENCH(most_values, .args = BENCH_ARGS(n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                   23, 24)) {
        bench_loop(b)
                ;
}

BENCH(every_name) {
        double real = 2;
        float narrow = 1;
        char letter = 'a';
        char text[8] = "text";
        struct large large = { { 1 } };
        const char *pointer = text;
        const int constant = 3;
        bench_timer timer;

        bench_ops(b, 2);
        bench_items(b, 3);
        bench_bytes(b, 4);
        bench_counter(b, "name", 5);
        bench_label(b, "by %s", text);
        bench_set_context(b, text);
        bench_use(bench_context(b));
        bench_inputs(b, 8, fill, NULL, NULL);
        bench_timer_start_by(&timer, NULL);
        bench_timer_start(&timer);
        bench_timer_pause(&timer);
        bench_timer_resume(&timer);
        bench_use(bench_timer_check(&timer));
        BENCH_HERE(clobber) bench_clobber();
        bench_use(bench_timer_ns(&timer) + bench_timer_seconds(&timer));
        bench_loop(b) {
                bench_opaque(real);
                bench_opaque(narrow);
                bench_opaque(letter);
                bench_opaque(text);
                bench_opaque(large);
                bench_opaque(pointer);
                bench_use(real * 2);
                bench_use(narrow);
                bench_use(letter);
                bench_use(text);
                bench_use(large);
                bench_use(pointer);
                bench_use(constant + 1);
                bench_use(letter == 'b');
                bench_use(bench_index(b) + bench_batch(b) + (uint64_t)bench_arg(b, 0));
                bench_use(bench_thread(b) + bench_threads(b));
                bench_use(bench_input(b));
                bench_manual_ns(b, real);
                bench_pause(b);
                bench_resume(b);
                bench_clobber();
                BENCH_REPEAT10(bench_use(real));
                if (bench_index(b) > 5)
                        break;
        }
        if (bench_batch(b) == 0)
                bench_skip(b, "skipped for %d reasons", 1);
        bench_fail(b, "failed");
}

BENCH_EMBED_SOURCE;

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The plain program that a module's source becomes with this main(): the bodies by a simple stopwatch, without benchd.
 *
 *      as-program                  prints the names of its benchmarks
 *      as-program NAME BATCHES     prints the median ns of an operation over batches of 25 µs; exits with 77 where the body is skipped
 *
 * Nothing here calls malloc() before the body has run, and nothing is set up that a program has not.
 */

#define BENCH_NO_MODULE
#include <benchd/bench.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_NS     25000u
#define WARM_UP_NS   20000000u
#define BATCHES_MAX  10000u
#define CLOCK_LOOKS  1000
#define EXIT_SKIPPED 77

extern struct bench_module benchd_module;

static double batches_ns[BATCHES_MAX];
static size_t n_batches, n_batches_wanted;
static uint64_t clock_ns, warm_up_began_ns, batch_began_ns;

static uint64_t now_ns(void) {
        struct timespec now;

        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
        return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Two looks at the clock, one right after the other: the least of several. */
static uint64_t clock_cost_ns(void) {
        uint64_t least_ns = UINT64_MAX;

        for (int i = 0; i < CLOCK_LOOKS; i++) {
                const uint64_t before_ns = now_ns(), took_ns = now_ns() - before_ns;

                if (took_ns < least_ns)
                        least_ns = took_ns;
        }
        return least_ns;
}

/* ---- the functions that a body's macros call */

static uint64_t batch_start(struct bench *b, uint64_t n) {
        b->batch = n;
        batch_began_ns = now_ns();
        return n;
}

static uint64_t loop_begin(struct bench *b) {
        b->loop_state = BENCH_LOOP_RUNNING;
        clock_ns = clock_cost_ns();
        warm_up_began_ns = now_ns();
        return batch_start(b, 1);
}

/* Doubles the batch until it is long enough, repeats it until the warm-up is over, and then takes samples. */
static uint64_t loop_next(struct bench *b) {
        const uint64_t now = now_ns(), took_ns = now - batch_began_ns;

        if (n_batches == 0 && took_ns < BATCH_NS / 2)
                return batch_start(b, 2 * b->batch);
        if (n_batches == 0 && now - warm_up_began_ns < WARM_UP_NS)
                return batch_start(b, b->batch);
        batches_ns[n_batches++] = took_ns > clock_ns ? (double)(took_ns - clock_ns) / (double)b->batch : 0;
        if (n_batches < n_batches_wanted)
                return batch_start(b, b->batch);
        b->loop_state = BENCH_LOOP_COMPLETE;
        return 0;
}

static __attribute__((format(printf, 2, 3), noreturn)) void body_fail(struct bench *b, const char *format, ...) {
        va_list arguments;

        (void)b;
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fputc('\n', stderr);
        exit(1);
}

static __attribute__((format(printf, 2, 3), noreturn)) void body_skip(struct bench *b, const char *format, ...) {
        (void)b;
        (void)format;
        exit(EXIT_SKIPPED);
}

static __attribute__((noreturn)) void body_threw(struct bench *b, const char *what) {
        body_fail(b, "exception: %s", what ? what : "unknown");
}

/* ---- one benchmark */

static int ns_compare(const void *left, const void *right) {
        const double a = *(const double *)left, b = *(const double *)right;

        return (a > b) - (a < b);
}

static int run(const struct bench_descriptor *descriptor) {
        struct bench b = {
                .begin = loop_begin,
                .next = loop_next,
                .fail = body_fail,
                .misuse = body_fail,
                .skip = body_skip,
                .threw = body_threw,
                .ops = descriptor->options.ops > 0 ? descriptor->options.ops : 1,
                .repeat = 1,
                .threads = 1,
        };

        descriptor->run(&b);
        if (b.loop_state != BENCH_LOOP_COMPLETE)
                body_fail(&b, "%s left its loop", descriptor->name);
        qsort(batches_ns, n_batches, sizeof *batches_ns, ns_compare);
        printf("%.6f\n", batches_ns[n_batches / 2] / (double)(b.ops * b.repeat));
        return 0;
}

int main(int argc, char **argv) {
        n_batches_wanted = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
        if (argc != 1 && (n_batches_wanted == 0 || n_batches_wanted > BATCHES_MAX)) {
                fprintf(stderr, "usage: %s [NAME BATCHES], 1 to %u of them\n", argv[0], BATCHES_MAX);
                return 2;
        }
        for (struct bench_descriptor **one = benchd_module.descriptors; one < benchd_module.descriptors_end; one++) {
                if (argc == 1)
                        puts((*one)->name);
                else if (strcmp((*one)->name, argv[1]) == 0)
                        return run(*one);
        }
        return argc == 1 ? 0 : 2;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Bodies whose time is known otherwise than by benchd's reading of them: by published latencies, by the same body without what
 * disturbs it, or by a clock of their own. tests/bench/truth has the truth of each.
 */

#include <benchd/bench.h>

#include "chains.h"
#include "now.h"

#define PAUSED_STEPS  100 /* multiplications while the clock is paused */
#define LINE_BYTES    64u
#define WALK_MAX      (1u << 20)
#define WALK_STEPS    64
#define LONG_BATCH_NS 400000u
#define APPEND_STEPS  20
#define OWN_ROUNDS    8
#define OWN_CALLS     4096 /* at least, a round */

BENCH_AREA(truth, .about = "bodies whose time is known");

/* ---- chains of multiplications: as they are, with a pause in the middle, and alone in their batch */

#define CHAIN_BENCHES(steps_, half_)                                                                                   \
 BENCH(chain_##steps_, .area = "truth") {                                                                              \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  bench_loop(b)                                                                                                        \
   CHAIN("imul %1, %0", steps_, value, operand);                                                                       \
  bench_use(value);                                                                                                    \
 }                                                                                                                     \
                                                                                                                       \
 BENCH(paused_##steps_, .area = "truth") {                                                                             \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  bench_loop(b) {                                                                                                      \
   CHAIN("imul %1, %0", half_, value, operand);                                                                        \
   bench_pause(b);                                                                                                     \
   CHAIN("imul %1, %0", PAUSED_STEPS, value, operand);                                                                 \
   bench_resume(b);                                                                                                    \
   CHAIN("imul %1, %0", half_, value, operand);                                                                        \
  }                                                                                                                    \
  bench_use(value);                                                                                                    \
 }                                                                                                                     \
                                                                                                                       \
 BENCH(once_##steps_, .area = "truth", .iterations = 1) {                                                              \
  uint64_t value = 1, operand = 3;                                                                                     \
                                                                                                                       \
  bench_loop(b)                                                                                                        \
   CHAIN("imul %1, %0", steps_, value, operand);                                                                       \
  bench_use(value);                                                                                                    \
 }

CHAIN_BENCHES(20, 10)
CHAIN_BENCHES(100, 50)
CHAIN_BENCHES(300, 150)
CHAIN_BENCHES(1000, 500)

/* ---- walks of memory, in batches of the usual length and in long ones */

typedef struct Line {
        struct Line *next;
        char rest[LINE_BYTES - sizeof(struct Line *)];
} Line;

static Line lines[WALK_MAX / LINE_BYTES];

/* One ring through the first @n lines, in an order that no prefetcher follows and that is the same in each process. */
static void ring_lay(size_t n) {
        uint64_t random = 1;

        for (size_t i = 0; i < n; i++)
                lines[i].next = &lines[i];
        for (size_t i = n - 1; i > 0; i--) { /* exchanging each with an earlier one leaves a single ring */
                Line *next = lines[i].next;
                size_t other;

                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                other = (random >> 33) % i;
                lines[i].next = lines[other].next;
                lines[other].next = next;
        }
}

static void walk(struct bench *b) {
        const Line *at = lines;

        ring_lay(bench_arg(b, 0) / LINE_BYTES);
        bench_loop(b)
                for (int i = 0; i < WALK_STEPS; i++)
                        at = at->next;
        bench_use(at);
}

#define WALK_BYTES BENCH_ARGS(bytes, 8192, 16384, 28672, 45056, 65536, 131072, 262144, 524288, 1048576)

BENCH(walk, .area = "truth", .args = WALK_BYTES, .ops = WALK_STEPS) {
        walk(b);
}

BENCH(walk_long, .area = "truth", .args = WALK_BYTES, .ops = WALK_STEPS, .min_time_ns = LONG_BATCH_NS) {
        walk(b);
}

/* ---- appends, each n-th of which also merges: as long again as all appends since the last merge took */

typedef struct Log {
        uint64_t every;
        uint64_t left; /* until it merges */
        uint64_t value;
} Log;

static inline void append(Log *log) {
        CHAIN("imul %1, %0", APPEND_STEPS, log->value, UINT64_C(3));
        if (--log->left > 0)
                return;
        log->left = log->every;
        for (uint64_t i = 0; i < log->every; i++)
                CHAIN("imul %1, %0", APPEND_STEPS, log->value, UINT64_C(3));
}

/* The mean time of an append over whole periods, by the kernel's clock: the round that was disturbed least. */
static double append_own_ns(Log *log) {
        const uint64_t n = (OWN_CALLS + log->every - 1) / log->every * log->every;
        uint64_t least_ns = UINT64_MAX;

        for (int round = 0; round < OWN_ROUNDS; round++) {
                uint64_t began_ns = now_ns(), took_ns;

                for (uint64_t i = 0; i < n; i++)
                        append(log);
                took_ns = now_ns() - began_ns;
                if (took_ns < least_ns)
                        least_ns = took_ns;
        }
        return (double)least_ns / n;
}

BENCH(append, .area = "truth", .args = BENCH_ARGS(every, 64, 1000, 65536)) {
        Log log = { .every = bench_arg(b, 0), .left = bench_arg(b, 0), .value = 1 };

        bench_loop(b)
                append(&log);
        bench_counter(b, "own_ns", append_own_ns(&log));
        bench_use(log.value);
}

/* ---- waits that are never the same */

/* Half of the argument to one and a half of it, each as likely. */
BENCH(wait, .area = "truth", .args = BENCH_ARGS(us, 1000, 1500)) {
        const uint64_t half_ns = bench_arg(b, 0) * 500;
        uint64_t random = now_ns();

        bench_loop(b) {
                uint64_t until_ns = now_ns() + half_ns;

                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                until_ns += (random >> 33) % (2 * half_ns);
                while (now_ns() < until_ns)
                        ;
        }
}

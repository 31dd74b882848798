/* SPDX-License-Identifier: MIT */

/*
 * branches: what a jump costs, by how well the processor can predict it.
 *
 * Unpredictable decisions are read from a table of a million random bytes. No predictor remembers so many outcomes until the table comes
 * round. The table is read in order, so its lines are in the first cache in time.
 */

#include <benchd/bench.h>

BENCH_AREA(branches, .about = "jumps, by how well the processor can predict them");
BENCH_EMBED_SOURCE;

enum {
        N_DECISIONS = 1 << 20, /* a power of two */
};

static unsigned char decisions[N_DECISIONS];

/* Numbers below @n in an order that is drawn at random, the same in each process. */
static void decisions_draw_below(unsigned n) {
        uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

        for (size_t i = 0; i < N_DECISIONS; i++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                decisions[i] = (unsigned char)((state >> 32) % n);
        }
}

/* Of each hundred decisions about @percent are 1. */
static void decisions_draw(unsigned percent) {
        decisions_draw_below(100);
        for (size_t i = 0; i < N_DECISIONS; i++)
                decisions[i] = decisions[i] < percent;
}

/* ---- two ways */

BENCH(taken, .args = BENCH_ARGS(percent, 0, 10, 50, 90, 100),
                .about = "at random, in so many of a hundred cases: limited by mispredictions, which empty the pipeline") {
        uint64_t n = 0;
        unsigned i = 0;

        decisions_draw((unsigned)bench_arg(b, 0));
        bench_loop(b) {
                BENCH_REPEAT10(if (decisions[i]) {
                        n++;
                        bench_opaque(n); /* or the compiler does without the jump */
                } i = (i + 1) % N_DECISIONS);
        }
        bench_use(n);
}

BENCH(alternating,
                .about = "taken every second time: limited by the instructions, once the predictor has seen the pattern") {
        uint64_t n = 0;
        unsigned i = 0;

        for (size_t k = 0; k < N_DECISIONS; k++)
                decisions[k] = k % 2;
        bench_loop(b) {
                BENCH_REPEAT10(if (decisions[i]) {
                        n++;
                        bench_opaque(n);
                } i = (i + 1) % N_DECISIONS);
        }
        bench_use(n);
}

/* In assembly, since compilers take the jump or the move from one version to the next. */
static inline __attribute__((always_inline)) uint64_t choose(unsigned char condition, uint64_t yes, uint64_t no) {
        __asm__ volatile("testb %1, %1\n\tcmovneq %2, %0" : "+r"(no) : "r"(condition), "r"(yes) : "cc");
        return no;
}

BENCH(branchless,
                .about = "the choice of taken at 50 % by a conditional move: limited by the instructions, whatever the data") {
        uint64_t n = 0, one = 1;
        unsigned i = 0;

        decisions_draw(50);
        bench_loop(b) {
                BENCH_REPEAT10(n = choose(decisions[i], n + one, n); i = (i + 1) % N_DECISIONS);
        }
        bench_use(n);
}

/* ---- many ways */

/* Eight cases that a compiler cannot compute, so that it jumps by a table. */
#define WAY(n)                                                                                                         \
 case n:                                                                                                               \
  __asm__ volatile("# way " #n);                                                                                       \
  sum += n + 1;                                                                                                        \
  break

static inline __attribute__((always_inline)) uint64_t switch_step(unsigned way, uint64_t sum) {
        switch (way) {
                WAY(0);
                WAY(1);
                WAY(2);
                WAY(3);
                WAY(4);
                WAY(5);
                WAY(6);
                WAY(7);
        }
        bench_opaque(sum);
        return sum;
}

BENCH(switch_in_turn,
                .about = "eight cases in a fixed order: limited by the jumps, once the predictor has seen the order") {
        uint64_t sum = 0;
        unsigned i = 0;

        bench_loop(b) {
                sum = switch_step(i % 8, sum);
                i++;
        }
        bench_use(sum);
}

BENCH(switch_random, .about = "eight cases at random: limited by mispredictions of the jump by table, seven of eight") {
        uint64_t sum = 0;
        unsigned i = 0;

        decisions_draw_below(8);
        bench_loop(b) {
                sum = switch_step(decisions[i], sum);
                i = (i + 1) % N_DECISIONS;
        }
        bench_use(sum);
}

static __attribute__((noinline)) void first_target(void) {
        __asm__ volatile("# first");
}
static __attribute__((noinline)) void second_target(void) {
        __asm__ volatile("# second");
}
static __attribute__((noinline)) void third_target(void) {
        __asm__ volatile("# third");
}
static __attribute__((noinline)) void fourth_target(void) {
        __asm__ volatile("# fourth");
}

static void (*const targets[])(void) = { first_target, second_target, third_target, fourth_target };

BENCH(call_random,
                .about = "one of four functions by pointer, at random: limited by mispredictions of the target, three of four") {
        void (*const *functions)(void) = targets;
        unsigned i = 0;

        decisions_draw_below(4);
        bench_opaque(functions);
        bench_loop(b) {
                BENCH_REPEAT10(functions[decisions[i]](); i = (i + 1) % N_DECISIONS);
        }
}

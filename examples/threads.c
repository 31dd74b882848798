/* SPDX-License-Identifier: MIT */

/*
 * Several threads: the cost of an increment when others make it too. With one thread its cache line stays in one core's
 * cache; with two it goes back and forth between theirs, with each increment. A counter of each thread's own costs the
 * same however many there are, unless the counters share a line without meaning to.
 *
 * Each thread runs the body, on a CPU of its own; all go into a batch together. The time is that of an increment as one
 * thread sees it, the rate is of all threads together. `.threads` sets their number, `--threads=N` overrides it.
 */

#include <benchd/bench.h>

#include <stdatomic.h>

#define LINE_BYTES  64
#define THREADS_MAX 64

BENCH_AREA(threads, .about = "an atomic increment, alone and in company");

static _Alignas(LINE_BYTES) atomic_ulong shared;

BENCH(shared_counter, .area = "threads", .about = "all threads increment one counter", .threads = BENCH_THREADS(1, 2)) {
        bench_items(b, 1);
        bench_loop(b)
                atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);
}

static struct { _Alignas(LINE_BYTES) atomic_ulong count; } own[THREADS_MAX];

BENCH(own_counter, .area = "threads", .about = "each thread increments one of its own",
                .threads = BENCH_THREADS(1, 2)) {
        atomic_ulong *counter = &own[bench_thread(b)].count;

        bench_items(b, 1);
        bench_loop(b)
                atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static _Alignas(LINE_BYTES) atomic_ulong neighbours[THREADS_MAX];

BENCH(neighbour_counter, .area = "threads", .about = "each one of its own, side by side in a cache line",
                .threads = BENCH_THREADS(1, 2)) {
        atomic_ulong *counter = &neighbours[bench_thread(b)];

        bench_items(b, 1);
        bench_loop(b)
                atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

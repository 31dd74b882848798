/* SPDX-License-Identifier: MIT */

/*
 * atomics: operations that other threads see whole, and fences, alone and with another thread at the same variable.
 *
 * Alone, the variable stays in the first-level cache. With another thread, the cache line moves between the two cores, once for every
 * few operations; the time is that of one thread's operation, during which the other does one too.
 */

#include <benchd/bench.h>
#include <stdatomic.h>

BENCH_AREA(atomics, .about = "atomic operations and fences, alone and contended");
BENCH_EMBED_SOURCE;

static _Atomic int64_t variable;

/* ---- alone */

BENCH(fetch_add, .about = "limited by the locked instruction, which waits until all stores before are in the cache") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_fetch_add(&variable, 1)));
        }
}

BENCH(fetch_add_relaxed, .hidden = 1, .about = "the same instruction as fetch_add: x86 has no weaker one") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_fetch_add_explicit(&variable, 1, memory_order_relaxed)));
        }
}

BENCH(exchange, .about = "limited by the locked instruction") {
        int64_t value = 1;

        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_exchange(&variable, value)));
        }
}

BENCH(compare_exchange, .about = "that succeeds: limited by the locked instruction") {
        int64_t expected = 0;

        atomic_store(&variable, 0);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_compare_exchange_strong(&variable, &expected, expected)));
        }
}

BENCH(compare_exchange_failing, .hidden = 1,
                .about = "that finds another value: limited by the locked instruction all the same") {
        int64_t expected;

        atomic_store(&variable, 0);
        bench_loop(b) {
                BENCH_REPEAT10(expected = 1; bench_use(atomic_compare_exchange_strong(&variable, &expected, 2)));
        }
}

BENCH(store, .about = "sequentially consistent: limited by the locked exchange that compilers make of it") {
        int64_t value = 1;

        bench_loop(b) {
                BENCH_REPEAT10(atomic_store(&variable, value));
        }
}

BENCH(store_release, .about = "limited by the number of store units: x86 keeps the order by itself") {
        int64_t value = 1;

        bench_opaque(value);
        bench_loop(b) {
                BENCH_REPEAT10(atomic_store_explicit(&variable, value, memory_order_release));
        }
}

/* ---- fences */

BENCH(fence, .about = "sequentially consistent, between plain stores: limited by the wait until they are in the cache") {
        bench_loop(b) {
                BENCH_REPEAT10(atomic_store_explicit(&variable, 1, memory_order_relaxed);
                                atomic_thread_fence(memory_order_seq_cst));
        }
}

BENCH(mfence, .about = "between plain stores: limited by the wait for them, and often for all instructions before") {
        bench_loop(b) {
                BENCH_REPEAT10(atomic_store_explicit(&variable, 1, memory_order_relaxed); __asm__ volatile("mfence"
                                                                                                           :
                                                                                                           :
                                                                                                           : "memory"));
        }
}

BENCH(lfence, .about = "limited by the wait for all instructions before") {
        bench_loop(b) {
                BENCH_REPEAT10(__asm__ volatile("lfence" : : : "memory"));
        }
}

BENCH(sfence, .about = "between plain stores: limited by the order of the stores before and after") {
        bench_loop(b) {
                BENCH_REPEAT10(atomic_store_explicit(&variable, 1, memory_order_relaxed); __asm__ volatile("sfence"
                                                                                                           :
                                                                                                           :
                                                                                                           : "memory"));
        }
}

/* ---- two threads */

BENCH(fetch_add_contended, .threads = BENCH_THREADS(2),
                .about = "two threads, one variable: limited by the way of its cache line from core to core") {
        bench_loop(b) {
                bench_use(atomic_fetch_add(&variable, 1));
        }
}

BENCH(compare_exchange_contended, .threads = BENCH_THREADS(2),
                .about = "an addition by a loop of compare_exchange: limited by the cache line's way and rounds in vain") {
        bench_loop(b) {
                int64_t expected = atomic_load_explicit(&variable, memory_order_relaxed);

                while (!atomic_compare_exchange_weak(&variable, &expected, expected + 1))
                        ;
        }
}

BENCH(load_contended, .threads = BENCH_THREADS(2),
                .about = "two threads only read: limited by the number of load units, for both cores may have the line") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_load(&variable)));
        }
}

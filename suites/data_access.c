/* SPDX-License-Identifier: MIT */

/*
 * data_access: reading and writing a variable in the first-level cache, by where it is declared and how it lies.
 *
 * Reads do not wait for each other here, as in most programs, so a row is a throughput; the latencies of memory are in the area memory.
 * bench_clobber() makes the compiler read again and carry each write out.
 */

#include <benchd/bench.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

BENCH_AREA(data_access, .about = "reading and writing a variable, by where it is declared and how it lies");
BENCH_EMBED_SOURCE;

/* Kept by name, so that no compiler may know all that writes to them. */
#define SEEN_FROM_ELSEWHERE __attribute__((used))

/* A call in which the compiler sees nothing. */
#ifdef __clang__
# define NOT_INLINED __attribute__((noinline))
#else
# define NOT_INLINED __attribute__((noipa))
#endif

struct record {
        int64_t first, second;
        unsigned narrow : 5;
        unsigned wide : 11;
};

static SEEN_FROM_ELSEWHERE int64_t static_variable = 1;
static SEEN_FROM_ELSEWHERE _Atomic int64_t atomic_variable = 1;
static SEEN_FROM_ELSEWHERE struct record record = { .first = 1, .second = 2, .narrow = 3, .wide = 4 };

/* Two pages of memory, which are not the kernel's one page of zeroes. Not a static variable: such alignment would pin the module's place. */
static unsigned char *two_pages_new(struct bench *b) {
        unsigned char *pages = aligned_alloc(4096, 8192);

        if (!pages)
                bench_fail(b, "no memory");
        memset(pages, 1, 8192);
        return pages;
}

/* ---- reads */

BENCH(read_local, .about = "a volatile variable on the stack: limited by the number of load units") {
        volatile int64_t local = 1;

        bench_loop(b) {
                BENCH_REPEAT10(bench_use(local));
        }
}

BENCH(read_static, .about = "limited by the number of load units: the address is part of the instruction") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(static_variable); bench_clobber());
        }
}

BENCH(read_global,
                .about = "a variable of the C library, by the address in the global offset table: limited by two loads") {
        bench_loop(b) { /* in assembly, since a compiler reads the address once before the loop */
                BENCH_REPEAT10(__asm__ volatile("movq environ@GOTPCREL(%%rip), %%rax\n\tmovq (%%rax), %%rax"
                                                :
                                                :
                                                : "rax"));
        }
}

BENCH(read_pointer, .about = "limited by the number of load units") {
        int64_t *pointer = &static_variable;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(*pointer); bench_clobber());
        }
}

BENCH(read_field, .hidden = 1, .about = "of a struct by pointer: limited by the number of load units") {
        struct record *pointer = &record;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(pointer->second); bench_clobber());
        }
}

BENCH(read_element,
                .about = "of an array by a varying index: limited by the instructions that step and bound the index") {
        static int64_t array[64];
        int64_t *elements = array;
        unsigned i = 0;

        bench_opaque(elements);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(elements[i % 64]); i++; bench_opaque(i));
        }
}

BENCH(read_bit_field, .about = "limited by a load, a shift and a mask") {
        struct record *pointer = &record;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(bench_use((unsigned)pointer->wide); bench_clobber());
        }
}

BENCH(read_atomic, .about = "relaxed: limited by the number of load units, as any read") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(atomic_load_explicit(&atomic_variable, memory_order_relaxed)));
        }
}

BENCH(read_unaligned, .about = "within a cache line: limited by the number of load units, as an aligned read") {
        unsigned char *pages = two_pages_new(b), *pointer = pages + 3;
        int64_t value;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(memcpy(&value, pointer, sizeof(value)); bench_use(value); bench_clobber());
        }
        free(pages);
}

BENCH(read_across_lines,
                .about = "half in one cache line, half in the next: limited by two passes through a load unit") {
        unsigned char *pages = two_pages_new(b), *pointer = pages + 64 - 4;
        int64_t value;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(memcpy(&value, pointer, sizeof(value)); bench_use(value); bench_clobber());
        }
        free(pages);
}

BENCH(read_across_pages, .about = "half in one page, half in the next: limited by two translations of an address") {
        unsigned char *pages = two_pages_new(b), *pointer = pages + 4096 - 4;
        int64_t value;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(memcpy(&value, pointer, sizeof(value)); bench_use(value); bench_clobber());
        }
        free(pages);
}

/* ---- variables that each thread has for itself */

static SEEN_FROM_ELSEWHERE __attribute__((tls_model("initial-exec"))) _Thread_local int64_t thread_local_near = 1;
static SEEN_FROM_ELSEWHERE __attribute__((tls_model("global-dynamic"))) _Thread_local int64_t thread_local_far = 1;

BENCH(read_thread_local, .about = "initial-exec, as in programs: limited by the number of load units") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(thread_local_near); bench_clobber());
        }
}

/* A function, since the compiler would ask for the address once before the loop. */
static NOT_INLINED int64_t thread_local_read(void) {
        return thread_local_far;
}

BENCH(read_thread_local_dynamic,
                .about = "global-dynamic, as in shared libraries: limited by a call of __tls_get_addr in a call") {
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(thread_local_read()));
        }
}

BENCH(read_thread_specific, .about = "limited by the call of pthread_getspecific and its checks") {
        pthread_key_t key;

        if (pthread_key_create(&key, NULL) || pthread_setspecific(key, &static_variable))
                bench_fail(b, "no key for a variable of the thread");
        bench_loop(b) {
                BENCH_REPEAT10(bench_use(pthread_getspecific(key)));
        }
        pthread_key_delete(key);
}

/* ---- writes */

BENCH(write_static, .about = "limited by the number of store units and by one line's way into the cache") {
        int64_t value = 1;

        bench_opaque(value);
        bench_loop(b) {
                BENCH_REPEAT10(static_variable = value; bench_clobber());
        }
}

BENCH(write_bit_field,
                .about = "limited by reading its neighbours back from the store before: load, mask, OR and store in a chain") {
        struct record *pointer = &record;
        unsigned value = 5;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(bench_opaque(value); pointer->wide = value & 2047; bench_clobber());
        }
}

BENCH(write_atomic, .hidden = 1, .about = "relaxed: limited as any write is") {
        int64_t value = 1;

        bench_opaque(value);
        bench_loop(b) {
                BENCH_REPEAT10(atomic_store_explicit(&atomic_variable, value, memory_order_relaxed));
        }
}

BENCH(write_across_lines, .about = "half in one cache line, half in the next: limited by two writes to the cache") {
        unsigned char *pages = two_pages_new(b), *pointer = pages + 64 - 4;
        int64_t value = 1;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(memcpy(pointer, &value, sizeof(value)); bench_clobber());
        }
        free(pages);
}

/* ---- a read of what was just written */

BENCH(increment,
                .about = "in memory: limited by the way from the store before to the load, which newer processors shorten") {
        bench_loop(b) {
                BENCH_REPEAT10(static_variable++; bench_clobber());
        }
}

BENCH(increment_volatile,
                .about = "on the stack by load, addition and store: limited as increment, or by less where memory is renamed") {
        volatile int64_t local = 1;
        int64_t value;

        bench_loop(b) { /* the steps apart, which some compilers join to one instruction */
                BENCH_REPEAT10(value = local; bench_opaque(value); local = value + 1);
        }
}

BENCH(forward_blocked, .about = "8 bytes of two stores of 4: limited by the wait until both stores are in the cache") {
        static int32_t halves[2];
        int32_t *pointer = halves;
        int64_t value = 1;

        bench_opaque(pointer);
        bench_loop(b) {
                BENCH_REPEAT10(pointer[0] = (int32_t)value; pointer[1] = 1; bench_clobber();
                                memcpy(&value, pointer, sizeof(value)); bench_opaque(value));
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Crashes, each at a place that is known, and modules that lie about theirs or get in the way of telling it.
 */

#define _GNU_SOURCE
#include <benchd/bench.h>

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE static __attribute__((noinline, noclone))

NOINLINE int reads(const int *volatile from) {
        return *from;
}

NOINLINE void writes(int *volatile to) {
        *to = 1;
}

NOINLINE void jumps(void (*volatile to)(void)) {
        to();
        bench_clobber();
}

NOINLINE int divides(volatile int *by) {
        return 1000 / *by;
}

NOINLINE void breaks(void) {
        __asm__ volatile("ud2");
}

NOINLINE void asserts(volatile int *n) {
        assert(*n == 2);
        bench_clobber();
}

NOINLINE size_t measures(const char *volatile text) {
        size_t n = strlen(text);

        bench_opaque(n);
        return n;
}

NOINLINE int recurses(volatile int *n) {
        volatile int here[64];

        here[0] = *n;
        return recurses(here) + here[1];
}

BENCH(null_read) {
        bench_loop(b)
                bench_use(reads(NULL));
}
BENCH(null_write) {
        bench_loop(b)
                writes(NULL);
}
BENCH(null_call) {
        bench_loop(b)
                jumps(NULL);
}
BENCH(beyond_addresses) {
        bench_loop(b)
                bench_use(reads((const int *)0x8000000000000000));
}
BENCH(by_zero) {
        volatile int zero = 0;
        bench_loop(b)
                bench_use(divides(&zero));
}
BENCH(undefined) {
        bench_loop(b)
                breaks();
}
BENCH(assertion) {
        volatile int one = 1;
        bench_loop(b)
                asserts(&one);
}
BENCH(in_library) {
        bench_loop(b)
                bench_use(measures((const char *)64));
}
BENCH(full_stack) {
        volatile int one = 1;
        bench_loop(b)
                bench_use(recurses(&one));
}

/* Its first access lies far above the stack pointer, and below all of the stack. */
BENCH(full_stack_of_one_frame) {
        volatile size_t bytes = (size_t)1 << 30;

        bench_loop(b) {
                volatile char frame[bytes];

                frame[bytes / 2] = 1;
                bench_use(frame[bytes / 2]);
        }
}

BENCH(full_stack_of_a_thread, .threads = BENCH_THREADS(2)) {
        volatile int one = 1;

        bench_loop(b)
                if (bench_thread(b) == 1)
                        bench_use(recurses(&one));
}

BENCH(holds_text_back) {
        printf("not yet written");
        bench_loop(b)
                bench_use(reads(NULL));
}

static void leave(int number) {
        _exit(40 + number);
}

BENCH(has_its_own) {
        signal(SIGSEGV, leave);
        bench_loop(b)
                bench_use(reads(NULL));
}

static void crash_again(int number) {
        signal(number, crash_again);
        writes((int *)16);
}

BENCH(crashes_again) {
        struct sigaction action = { .sa_handler = crash_again, .sa_flags = SA_NODEFER };

        sigaction(SIGSEGV, &action, NULL);
        bench_loop(b)
                bench_use(reads(NULL));
}

/* The block's place in memory. */
static char *find_block(char **ret_end) {
        FILE *maps = fopen("/proc/self/maps", "re");
        char line[512], *start = NULL;

        while (maps && fgets(line, sizeof line, maps))
                if (strstr(line, "benchd-block")) {
                        start = (char *)strtoul(line, ret_end, 16);
                        *ret_end = (char *)strtoul(*ret_end + 1, NULL, 16);
                        break;
                }
        fclose(maps);
        return start;
}

/* The handler has no block to write to, and crashes. */
BENCH(takes_the_block_away) {
        char *end, *start = find_block(&end);

        munmap(start, end - start);
        abort();
        bench_loop(b)
                ;
}

/* No handler's: 536 bytes of the head stand before it. */
static void fake(const char *symbol, size_t n_symbol, unsigned access) {
        char *end, *crash = find_block(&end) + 536;

        ((unsigned *)crash)[0] = SIGTERM;
        ((unsigned *)crash)[1] = access;
        memcpy(crash + 16, symbol, n_symbol);
        ((unsigned *)(crash + 16 + 128 + 64 + 8))[0] = 1;
        raise(SIGTERM);
}

BENCH(fakes_a_place) {
        fake("\033[2Jnowhere\n", 12, 1);
        bench_loop(b)
                ;
}

BENCH(fakes_without_end) {
        char symbol[128];

        memset(symbol, 'x', sizeof symbol);
        fake(symbol, sizeof symbol, 1);
        bench_loop(b)
                ;
}

BENCH(fakes_an_access) {
        fake("nowhere", 8, 1000);
        bench_loop(b)
                ;
}

BENCH(fakes_another_signal) {
        char *end, *crash = find_block(&end) + 536;

        ((unsigned *)crash)[0] = SIGSEGV;
        raise(SIGTERM);
        bench_loop(b)
                ;
}

BENCH(has_a_child_that_crashes) {
        bench_loop(b) {
                pid_t child = fork();

                if (child == 0)
                        writes(NULL);
                waitpid(child, NULL, 0);
                raise(SIGTERM);
        }
}

BENCH(well) {
        bench_loop(b)
                bench_clobber();
}

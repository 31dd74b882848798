/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The counting library, preloaded into this program: what the calls between its beginning and end come to, exactly. */

#include "runner/count/count.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include "test.h"

#define N_THREADS     4u
#define N_ALLOCATIONS 20000u

static CountBegin *count_begin;
static CountEnd *count_end;
static CountRead *count_read;

static CountTotals before, after;
static volatile uint64_t paused;
static void *volatile kept[8]; /* so that no compiler does without an allocation */
static volatile size_t far_too_much = SIZE_MAX / 4;

static void begin(void) {
        count_read(&before);
        count_begin((const uint64_t *)&paused);
}

static void end(void) {
        count_end();
        count_read(&after);
}

static void expect(uint64_t allocations, uint64_t frees, uint64_t bytes, uint64_t live_bytes) {
        assert_int_equal(after.allocations - before.allocations, allocations);
        assert_int_equal(after.frees - before.frees, frees);
        assert_int_equal(after.bytes - before.bytes, bytes);
        assert_int_equal(after.live_bytes - before.live_bytes, live_bytes);
        assert_int_equal(after.lost, 0);
}

static void drop(size_t n) {
        for (size_t i = 0; i < n; i++)
                free(kept[i]);
        count_read(&after);
}

TEST(every_way_to_allocate_counts_what_was_asked_for) {
        void *block = NULL;

        begin();
        kept[0] = malloc(100);
        kept[1] = calloc(3, 7);
        kept[2] = aligned_alloc(64, 128);
        kept[3] = memalign(32, 50);
        assert_int_equal(posix_memalign(&block, 64, 60), 0);
        kept[4] = block;
        kept[5] = reallocarray(NULL, 5, 9);
        kept[6] = strdup("twelve bytes");
        kept[7] = valloc(10);
        end();
        expect(8, 0, 100 + 21 + 128 + 50 + 60 + 45 + 13 + 10, 100 + 21 + 128 + 50 + 60 + 45 + 13 + 10);
        assert_int_equal(after.live_blocks - before.live_blocks, 8);
        assert_int_equal((uintptr_t)kept[2] % 64, 0);
        assert_int_equal(((char *)kept[1])[20], 0);

        drop(8);
        assert_int_equal(after.live_bytes, before.live_bytes);
        assert_int_equal(after.frees, before.frees);
}

TEST(a_realloc_is_an_allocation_and_a_free) {
        begin();
        kept[0] = realloc(NULL, 10);
        memset(kept[0], 7, 10);
        kept[0] = realloc(kept[0], 100000);
        end();
        expect(2, 1, 100010, 100000);
        assert_int_equal(((char *)kept[0])[9], 7);

        begin();
        kept[0] = realloc(kept[0], 0);
        end();
        assert_null(kept[0]);
        expect(0, 1, 0, (uint64_t)-100000);
}

TEST(a_realloc_that_fails_leaves_the_block) {
        begin();
        kept[0] = malloc(10);
        kept[1] = realloc(kept[0], far_too_much);
        end();
        assert_null(kept[1]);
        expect(1, 0, 10, 10);
        drop(1);
}

TEST(what_fails_is_no_allocation) {
        void *block = &block;

        begin();
        kept[0] = malloc(far_too_much);
        kept[1] = calloc(far_too_much, 16);
        assert_int_not_equal(posix_memalign(&block, 3, 8), 0);
        end();
        assert_null(kept[0]);
        assert_null(kept[1]);
        assert_ptr_equal(block, &block);
        expect(0, 0, 0, 0);
}

TEST(nothing_counts_outside_and_in_a_pause) {
        kept[0] = malloc(1);
        begin();
        paused = 1;
        kept[1] = malloc(2);
        free(kept[0]);
        paused = 0;
        kept[2] = malloc(4);
        free(kept[1]);
        end();
        kept[3] = malloc(8);
        free(kept[2]);
        expect(1, 1, 4, 4);
        count_read(&after);
        assert_int_equal(after.live_bytes, before.live_bytes);
        free(kept[3]);
}

TEST(the_peak_is_that_since_the_beginning) {
        begin();
        for (unsigned i = 0; i < 10; i++) {
                kept[0] = malloc(1000);
                free(kept[0]);
        }
        end();
        assert_int_equal(after.peak_bytes - before.live_bytes, 1000);
        expect(10, 10, 10000, 0);
        begin();
        end();
        assert_int_equal(after.peak_bytes - before.live_bytes, 0);
}

static void *allocate_much(void *argument) {
        for (unsigned i = 0; i < N_ALLOCATIONS; i++) {
                void *volatile one = malloc(i % 100), *volatile other = malloc(32);

                free(one);
                free(other);
        }
        return NULL;
}

TEST(threads_lose_nothing) {
        pthread_t threads[N_THREADS];
        uint64_t bytes = 0;

        begin();
        for (unsigned i = 0; i < N_ALLOCATIONS; i++)
                bytes += i % 100 + 32;
        for (unsigned i = 0; i < N_THREADS; i++)
                assert_int_equal(pthread_create(&threads[i], NULL, allocate_much, NULL), 0);
        for (unsigned i = 0; i < N_THREADS; i++)
                pthread_join(threads[i], NULL);
        end();
        /* A thread costs an allocation or two itself. */
        assert_true(after.allocations - before.allocations >= 2 * N_THREADS * N_ALLOCATIONS);
        assert_true(after.allocations - before.allocations <= 2 * N_THREADS * N_ALLOCATIONS + N_THREADS * 2);
        assert_true(after.bytes - before.bytes >= N_THREADS * bytes);
        assert_true(after.frees - before.frees >= 2 * N_THREADS * N_ALLOCATIONS);
        assert_true(after.live_blocks - before.live_blocks <= N_THREADS * 2);
        assert_int_equal(after.lost, 0);
}

static int find_the_functions(void **state) {
        count_begin = dlsym(RTLD_DEFAULT, COUNT_BEGIN_NAME);
        count_end = dlsym(RTLD_DEFAULT, COUNT_END_NAME);
        count_read = dlsym(RTLD_DEFAULT, COUNT_READ_NAME);
        if (count_begin && count_end && count_read)
                return 0;
        fputs("this runs with LD_PRELOAD=benchd-count.so\n", stderr);
        return -1;
}

TEST_FILE(find_the_functions, NULL)

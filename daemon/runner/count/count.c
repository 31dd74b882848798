/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/count/count.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/count/blocks.h"

#define COUNT_EXPORT __attribute__((visibility("default")))

/*
 * The malloc family that the process would use without this library: the module's own, a preloaded library's, or libc's. libc's internal
 * names serve while the family is looked up, since the lookup may allocate.
 */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

typedef struct Family {
        void *(*malloc)(size_t size);
        void *(*calloc)(size_t n, size_t size);
        void *(*realloc)(void *block, size_t size);
        void *(*memalign)(size_t alignment, size_t size);
        void (*free)(void *block);
} Family;

static const Family libc_family = {
        .malloc = __libc_malloc,
        .calloc = __libc_calloc,
        .realloc = __libc_realloc,
        .memalign = __libc_memalign,
        .free = __libc_free,
};

static Family count_family;
static _Atomic(const Family *) count_next; /* NULL: not looked up yet */

static void *find_next(const char *name, void *otherwise) {
        void *function = dlsym(RTLD_NEXT, name);

        return function ? function : otherwise;
}

static const Family *next_family(void) {
        const Family *next = atomic_load_explicit(&count_next, memory_order_acquire);

        if (next)
                return next;
        atomic_store_explicit(&count_next, &libc_family, memory_order_release);
        count_family = (Family){
                .malloc = find_next("malloc", __libc_malloc),
                .calloc = find_next("calloc", __libc_calloc),
                .realloc = find_next("realloc", __libc_realloc),
                .memalign = find_next("memalign", find_next("aligned_alloc", __libc_memalign)),
                .free = find_next("free", __libc_free),
        };
        atomic_store_explicit(&count_next, &count_family, memory_order_release);
        return &count_family;
}

static atomic_flag count_lock = ATOMIC_FLAG_INIT;
static _Atomic(const uint64_t *) count_paused; /* NULL: not counting */
static atomic_bool count_remembers;            /* the table has blocks */
static Blocks count_blocks;
static CountTotals count_totals;

static void count_enter(void) {
        while (atomic_flag_test_and_set_explicit(&count_lock, memory_order_acquire))
                sched_yield();
}

static void count_leave(void) {
        atomic_flag_clear_explicit(&count_lock, memory_order_release);
}

static bool count_is_on(void) {
        const uint64_t *paused = atomic_load_explicit(&count_paused, memory_order_acquire);

        return paused && *(const volatile uint64_t *)paused == 0;
}

/* ---- with the lock */

static void count_remember(const void *block, size_t bytes) {
        if (!blocks_add(&count_blocks, block, bytes)) {
                count_totals.lost++;
                return;
        }
        atomic_store_explicit(&count_remembers, true, memory_order_relaxed);
        count_totals.live_blocks++;
        count_totals.live_bytes += bytes;
        if (count_totals.live_bytes > count_totals.peak_bytes)
                count_totals.peak_bytes = count_totals.live_bytes;
}

/* Removes @block from the table and returns its entry; address 0 if there is none. */
static Block count_forget(const void *block) {
        Block known = {};

        if (!blocks_remove(&count_blocks, block, &known.bytes))
                return known;
        known.address = (uintptr_t)block;
        count_totals.live_blocks--;
        count_totals.live_bytes -= known.bytes;
        return known;
}

/* ---- what happened */

static void count_allocated(const void *block, size_t bytes) {
        if (!block || !count_is_on())
                return;
        count_enter();
        count_totals.allocations++;
        count_totals.bytes += bytes;
        count_remember(block, bytes);
        count_leave();
}

/* Called before the block is freed: another thread may get its address a moment later. Returns its entry. */
static Block count_freed(const void *block) {
        bool on = count_is_on();
        Block known;

        if (!block || (!on && !atomic_load_explicit(&count_remembers, memory_order_relaxed)))
                return (Block){};
        count_enter();
        count_totals.frees += on;
        known = count_forget(block);
        count_leave();
        return known;
}

/* Undoes count_freed(): realloc() found no memory, so the block was not freed. */
static void count_kept(const Block *known) {
        count_enter();
        count_totals.frees -= count_is_on();
        if (known->address != 0)
                count_remember((const void *)known->address, known->bytes);
        count_leave();
}

/* ---- the family */

COUNT_EXPORT void *malloc(size_t size) {
        void *block = next_family()->malloc(size);

        count_allocated(block, size);
        return block;
}

COUNT_EXPORT void *calloc(size_t n, size_t size) {
        void *block = next_family()->calloc(n, size);

        count_allocated(block, n * size);
        return block;
}

COUNT_EXPORT void free(void *block) {
        count_freed(block);
        next_family()->free(block);
}

/* A size of 0 means free. */
COUNT_EXPORT void *realloc(void *block, size_t size) {
        Block known = count_freed(block);
        void *grown = next_family()->realloc(block, size);

        if (grown)
                count_allocated(grown, size);
        else if (block && size > 0)
                count_kept(&known);
        return grown;
}

COUNT_EXPORT void *memalign(size_t alignment, size_t size) {
        void *block = next_family()->memalign(alignment, size);

        count_allocated(block, size);
        return block;
}

COUNT_EXPORT void *aligned_alloc(size_t alignment, size_t size) {
        return memalign(alignment, size);
}

COUNT_EXPORT void *valloc(size_t size) {
        return memalign((size_t)getpagesize(), size);
}

COUNT_EXPORT void *pvalloc(size_t size) {
        size_t page = (size_t)getpagesize();

        return memalign(page, (size + page - 1) / page * page);
}

COUNT_EXPORT int posix_memalign(void **ret_block, size_t alignment, size_t size) {
        int error = errno;
        void *block;

        if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
                return EINVAL;
        block = memalign(alignment, size);
        errno = error;
        if (!block)
                return ENOMEM;
        *ret_block = block;
        return 0;
}

/* ---- the runner's */

COUNT_EXPORT void benchd_count_begin(const uint64_t *paused) {
        count_enter();
        count_totals.peak_bytes = count_totals.live_bytes;
        count_leave();
        atomic_store_explicit(&count_paused, paused, memory_order_release);
}

COUNT_EXPORT void benchd_count_end(void) {
        atomic_store_explicit(&count_paused, NULL, memory_order_release);
}

COUNT_EXPORT void benchd_count_read(CountTotals *ret_totals) {
        count_enter();
        *ret_totals = count_totals;
        count_leave();
}

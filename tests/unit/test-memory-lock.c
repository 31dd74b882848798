/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <inttypes.h>
#include <malloc.h>

#include "runner/watch/memory-lock.h"
#include "test.h"

#define N_BYTES (16u << 12)

static char own_buffer[N_BYTES] __attribute__((aligned(4096)));

/* Tells by smaps of proc(5) whether the mapping that holds @address is locked. */
static bool is_locked(const void *address) {
        FILE *maps = fopen("/proc/self/smaps", "re");
        uintptr_t start, end;
        bool inside = false, locked = false;
        char line[512];

        assert_non_null(maps);
        while (fgets(line, sizeof line, maps)) {
                if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2)
                        inside = (uintptr_t)address >= start && (uintptr_t)address < end;
                else if (inside && strncmp(line, "VmFlags:", 8) == 0)
                        locked = strstr(line, " lo ");
        }
        fclose(maps);
        return locked;
}

static char *map_touched(void) {
        char *memory = mmap(NULL, N_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        assert_ptr_not_equal(memory, MAP_FAILED);
        memset(memory, 1, N_BYTES);
        return memory;
}

TEST(code_is_locked_and_what_can_be_written_is_not) {
        _cleanup_(freep) char *heap = malloc(100);
        char *mapped = map_touched(), on_stack = 1;

        if (memory_lock() != OPS_OUTCOME_APPLIED)
                skip(); /* the limit of this process is below the size of its code */
        assert_true(is_locked((const void *)(uintptr_t)memory_lock));
        assert_true(is_locked((const void *)(uintptr_t)strlen));
        assert_false(is_locked(heap));
        assert_false(is_locked(mapped));
        assert_false(is_locked(own_buffer));
        assert_false(is_locked(&on_stack));
        munmap(mapped, N_BYTES);
}

TEST(memory_can_be_given_back_as_in_a_process_without_a_lock) {
        static const int advices[] = { MADV_DONTNEED, MADV_FREE, MADV_COLD, MADV_PAGEOUT };
        char *mapped = map_touched();

        memset(own_buffer, 1, N_BYTES);
        (void)memory_lock();
        for (size_t i = 0; i < N_ELEMENTS(advices); i++)
                assert_true(madvise(mapped, N_BYTES, advices[i]) == 0 ||
                                (i > 0 && errno == EINVAL)); /* an old kernel */
        assert_int_equal(msync(mapped, N_BYTES, MS_SYNC | MS_INVALIDATE), 0);
        assert_int_equal(madvise(mapped, N_BYTES, MADV_DONTNEED), 0);
        assert_int_equal(mapped[0], 0);
        assert_int_equal(madvise(own_buffer, N_BYTES, MADV_DONTNEED), 0);
        assert_int_equal(own_buffer[0], 0);
        munmap(mapped, N_BYTES);
}

static double resident_kib(void) {
        FILE *statm = fopen("/proc/self/statm", "re");
        unsigned long size, resident;

        assert_non_null(statm);
        assert_int_equal(fscanf(statm, "%lu %lu", &size, &resident), 2);
        fclose(statm);
        return (double)resident * getpagesize() / 1024;
}

/* Between blocks that stay, so that the heap cannot simply end earlier. */
TEST(a_trim_gives_the_heap_back) {
        enum {
                N = 2000,
                BYTES = 16384
        };
        static void *blocks[N];
        double before;

        mallopt(M_MMAP_THRESHOLD, 1 << 20);
        for (size_t i = 0; i < N; i++)
                memset(blocks[i] = malloc(BYTES), 1, BYTES);
        (void)memory_lock();
        for (size_t i = 0; i < N - 1; i++)
                free(blocks[i]);
        before = resident_kib();
        malloc_trim(0);
        assert_true(resident_kib() < before - N * BYTES / 1024.0 / 2);
        free(blocks[N - 1]);
}

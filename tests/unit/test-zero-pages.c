/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Memory that was read and never written is found in this very process, in small pages and in huge ones; and only in private mappings
 * of no file.
 */

#include "runner/load/zero-pages.h"

#include <inttypes.h>

#include "test.h"

#define MIB       (1u << 20)
#define HUGE_PAGE (2 * MIB)
#define REGION    (16 * MIB)

TEST(only_private_mappings_of_no_file_count) {
        static const struct {
                const char *line;
                bool counts;
        } rows[] = {
                { "7f0000000000-7f0000002000 rw-p 00000000 00:00 0 \n", true },
                { "7f0000000000-7f0000002000 rw-p 00000000 00:00 0                          [heap]\n", true },
                { "7f0000000000-7f0000002000 rw-p 00000000 00:00 0                          [stack]\n", true },
                { "7f0000000000-7f0000002000 r--p 00000000 00:00 0                          [anon:table]\n", true },
                { "7f0000000000-7f0000002000 ---p 00000000 00:00 0 \n", false },
                { "7f0000000000-7f0000002000 rw-s 00000000 00:01 77 /dev/zero (deleted)\n", false },
                { "7f0000000000-7f0000002000 rw-p 00003000 fe:00 332383 /usr/lib/libc.so.6\n", false },
                { "7f0000000000-7f0000002000 r--p 00000000 00:00 0                          [vvar]\n", false },
                { "7f0000000000-7f0000002000 r-xp 00000000 00:00 0                          [vdso]\n", false },
                { "7f0000002000-7f0000002000 rw-p 00000000 00:00 0 \n", false },
                { "the end of a very long path\n", false },
                { "", false },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                ZeroPagesRange range = {};

                assert_int_equal(zero_pages_read_line(rows[i].line, &range), rows[i].counts);
                assert_int_equal(range.begin, rows[i].counts ? 0x7f0000000000 : 0);
                assert_int_equal(range.end, rows[i].counts ? 0x7f0000002000 : 0);
        }
}

TEST(however_large_a_mapping_some_thousand_pages_of_it_are_looked_at) {
        for (uint64_t n_pages = 1; n_pages <= UINT64_C(1) << 40; n_pages = n_pages * 3 + 1) {
                const uint64_t stride = zero_pages_stride(n_pages);

                assert_int_equal(stride % 2, 1);
                assert_in_range(n_pages / stride, n_pages < 4096 ? n_pages : 1365, 4096);
        }
}

static uint64_t count_unwritten(uint64_t *ret_huge_bytes) {
        ZeroPages found;

        if (!zero_pages_count(&found))
                skip();
        assert_true(found.unwritten_bytes < found.mapped_bytes);
        assert_true(found.huge_bytes <= found.unwritten_bytes);
        if (ret_huge_bytes)
                *ret_huge_bytes = found.huge_bytes;
        return found.unwritten_bytes;
}

/* A region of its own, with @advice of madvise(2). */
static volatile char *map_region(int advice) {
        char *whole = mmap(NULL, REGION + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        char *aligned;

        assert_true(whole != MAP_FAILED);
        aligned = (char *)(((uintptr_t)whole + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
        (void)madvise(aligned, REGION, advice); /* a kernel without huge pages has small ones */
        return aligned;
}

static void read_region(const volatile char *region) {
        for (size_t at = 0; at < REGION; at += 4096)
                (void)region[at];
}

static uint64_t resident_bytes(void) {
        FILE *file = fopen("/proc/self/statm", "re");
        uint64_t n_pages;

        assert_non_null(file);
        assert_int_equal(fscanf(file, "%*u %" SCNu64, &n_pages), 1);
        fclose(file);
        return n_pages * sysconf(_SC_PAGESIZE);
}

/* Some kernels give memory that is read a page of its own, as if it were written. */
static bool kernel_has_page_of_zeros(void) {
        volatile char *region = map_region(MADV_NOHUGEPAGE);
        const uint64_t before = resident_bytes();
        uint64_t taken;

        read_region(region);
        taken = resident_bytes() - before;
        assert_int_equal(munmap((void *)region, REGION), 0);
        return taken < REGION / 2;
}

TEST(memory_that_was_read_counts_until_it_is_written) {
        static const int advices[] = { MADV_NOHUGEPAGE, MADV_HUGEPAGE };

        if (!kernel_has_page_of_zeros()) {
                print_message("this kernel maps no page of zeros\n");
                skip();
        }
        for (size_t i = 0; i < N_ELEMENTS(advices); i++) {
                uint64_t huge_bytes;
                const uint64_t before = count_unwritten(&huge_bytes);
                volatile char *region = map_region(advices[i]);

                assert_int_equal(huge_bytes, 0);
                assert_in_range(count_unwritten(NULL), before, before + MIB); /* which nobody touched yet */
                read_region(region);
                assert_in_range(count_unwritten(&huge_bytes), before + REGION - MIB, before + REGION + MIB);
                assert_in_range(huge_bytes, REGION - MIB, REGION); /* it is aligned */
                for (size_t at = 0; at < REGION; at += 4096)
                        region[at] = 1;
                assert_in_range(count_unwritten(NULL), before, before + MIB);
        }
}

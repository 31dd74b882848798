/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/load/zero-pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ZERO_PAGES_OF_MAPPING 4096u  /* sampled: some hundred µs */
#define ZERO_PAGES_OF_PROCESS 32768u /* ... in all mappings */
#define ZERO_PAGES_AT_ONCE    256u
#define ZERO_PAGES_LINE_MAX   512u

typedef struct ZeroPagesScan {
        uint64_t page_bytes;
        uint64_t n_seen;
        ZeroPages found;
} ZeroPagesScan;

/* The sampled pages in the place of one huge page. */
typedef struct ZeroPagesBlock {
        uint64_t address;
        uint64_t n_seen;
        uint64_t n_zero;
} ZeroPagesBlock;

/*
 * True for the kernel's own mappings, which are not anonymous memory; stacks, the heap and named anonymous memory have
 * names in brackets too.
 */
static bool is_of_kernel(const char *name) {
        return strncmp(name, "[v", 2) == 0;
}

bool zero_pages_read_line(const char *line, ZeroPagesRange *ret_range) {
        char permissions[5], name[4] = "";
        uint64_t begin, end, inode;

        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %3s", &begin, &end, permissions, &inode,
                            name) < 4)
                return false;
        if (permissions[0] != 'r' || permissions[3] != 'p' || inode != 0 || is_of_kernel(name) || begin >= end)
                return false;
        *ret_range = (ZeroPagesRange){ begin, end };
        return true;
}

/* Odd, so that a pattern of every second page is not missed. */
uint64_t zero_pages_stride(uint64_t n_pages) {
        return ((n_pages + ZERO_PAGES_OF_MAPPING - 1) / ZERO_PAGES_OF_MAPPING) | 1;
}

/* Older kernels report an unmapped page and the page of zeros alike. */
static bool page_is_mapped(const ZeroPagesScan *scan, void *page) {
        unsigned char mapped;

        return mincore(page, scan->page_bytes, &mapped) == 0 && (mapped & 1);
}

/* Scans @n pages, each of which stands for @stride pages. */
static bool scan_pages(ZeroPagesScan *scan, void **pages, size_t n, uint64_t stride, ZeroPagesBlock *block) {
        int status[ZERO_PAGES_AT_ONCE];

        if (syscall(SYS_move_pages, 0, n, pages, NULL, status, 0) < 0)
                return false;
        for (size_t i = 0; i < n; i++) {
                const bool zero = status[i] == -EFAULT && page_is_mapped(scan, pages[i]);

                scan->found.mapped_bytes += zero || status[i] >= 0 ? stride * scan->page_bytes : 0;
                scan->found.unwritten_bytes += zero ? stride * scan->page_bytes : 0;
                block->n_zero += zero;
        }
        block->n_seen += n;
        scan->n_seen += n;
        return true;
}

/* A block counts as a huge page only if the mapping has all of it. */
static void end_block(ZeroPagesScan *scan, const ZeroPagesRange *range, uint64_t stride, const ZeroPagesBlock *block) {
        const bool whole = block->address >= range->begin && block->address + ZERO_PAGES_HUGE_BYTES <= range->end;

        if (whole && block->n_seen > 0 && block->n_zero == block->n_seen)
                scan->found.huge_bytes += block->n_seen * stride * scan->page_bytes;
}

static bool scan_range(ZeroPagesScan *scan, const ZeroPagesRange *range) {
        const uint64_t stride = zero_pages_stride((range->end - range->begin) / scan->page_bytes);
        ZeroPagesBlock block = { .address = range->begin - range->begin % ZERO_PAGES_HUGE_BYTES };
        uint64_t at = range->begin;

        while (at < range->end) {
                void *pages[ZERO_PAGES_AT_ONCE];
                size_t n = 0;

                for (; at < range->end && at - block.address < ZERO_PAGES_HUGE_BYTES && n < ZERO_PAGES_AT_ONCE;
                                at += stride * scan->page_bytes)
                        pages[n++] = (void *)(uintptr_t)at;
                if (!scan_pages(scan, pages, n, stride, &block))
                        return false;
                if (at < range->end && at - block.address < ZERO_PAGES_HUGE_BYTES)
                        continue;
                end_block(scan, range, stride, &block);
                block = (ZeroPagesBlock){ .address = at - at % ZERO_PAGES_HUGE_BYTES };
        }
        return true;
}

bool zero_pages_count(ZeroPages *ret_found) {
        ZeroPagesScan scan = { .page_bytes = sysconf(_SC_PAGESIZE) };
        FILE *maps = fopen("/proc/self/maps", "re");
        char line[ZERO_PAGES_LINE_MAX];
        ZeroPagesRange range;
        bool told = maps;

        while (told && scan.n_seen < ZERO_PAGES_OF_PROCESS && fgets(line, sizeof line, maps))
                if (zero_pages_read_line(line, &range))
                        told = scan_range(&scan, &range);
        if (maps)
                fclose(maps);
        if (!told || scan.found.mapped_bytes == 0)
                return false;
        *ret_found = scan.found;
        return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Zero pages: memory of this process that was read and never written. The kernel maps the same page of zeros for all of it, so
 * that a walk over a gigabyte of it reads 4 KiB of cache. It is found in the private anonymous mappings: mincore(2) tells what is
 * mapped, and move_pages(2), which moves nothing here, tells which of that is the page of zeros. Both are about one's own memory, need
 * no privilege, and show no physical address, as /proc/self/pagemap might. The time they take is bounded: of large mappings they see
 * some pages only, at equal distances.
 */

#include <stdbool.h>
#include <stdint.h>

#define ZERO_PAGES_HUGE_BYTES (UINT64_C(2) << 20)

/* A private mapping of no file, which this process may read. */
typedef struct ZeroPagesRange {
        uint64_t begin;
        uint64_t end;
} ZeroPagesRange;

/* Reads @line of /proc/self/maps. False where it is of any other mapping. */
bool zero_pages_read_line(const char *line, ZeroPagesRange *ret_range);

/* The distance in pages, never even but for 1, at which @n_pages are looked at. */
uint64_t zero_pages_stride(uint64_t n_pages);

/* Estimates, of private memory of no file. */
typedef struct ZeroPages {
        uint64_t mapped_bytes;
        uint64_t unwritten_bytes; /* ... read and never written */
        uint64_t huge_bytes;      /* ... of these, in the places of huge pages that hold nothing else */
} ZeroPages;

/* Finds those of this process. False where /proc or the kernel does not tell. */
bool zero_pages_count(ZeroPages *ret_found);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Zero pages: memory of this process that was read but never written. The kernel maps the same page of zeros for all of it, so a walk
 * over a gigabyte of it reads 4 KiB of cache. It is found in the private anonymous mappings: mincore(2) shows which pages are mapped,
 * and move_pages(2), which moves nothing here, shows which of these are the page of zeros. Both work on the caller's own memory, need
 * no privilege, and reveal no physical address, as /proc/self/pagemap might. The time is bounded: large mappings are sampled at equal
 * distances.
 */

#include <stdbool.h>
#include <stdint.h>

#define ZERO_PAGES_HUGE_BYTES (UINT64_C(2) << 20)

/* A private anonymous mapping that this process may read. */
typedef struct ZeroPagesRange {
        uint64_t begin;
        uint64_t end;
} ZeroPagesRange;

/* Reads @line of /proc/self/maps. False for any other mapping. */
bool zero_pages_read_line(const char *line, ZeroPagesRange *ret_range);

/* The distance in pages, always odd, at which @n_pages are sampled. */
uint64_t zero_pages_stride(uint64_t n_pages);

/* Estimates for private anonymous memory. */
typedef struct ZeroPages {
        uint64_t mapped_bytes;
        uint64_t unwritten_bytes; /* ... read and never written */
        uint64_t huge_bytes;      /* ... of these, in whole places of huge pages */
} ZeroPages;

/* Estimates the zero pages of this process. False if /proc or the kernel does not show them. */
bool zero_pages_count(ZeroPages *ret_found);

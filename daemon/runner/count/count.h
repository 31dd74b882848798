/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The counting library: it counts a body's allocations, in the pass that counts (runner/time/memory.h).
 *
 * Only the counting process starts with this library, before all others (runner/load/start.h). It wraps the malloc family that the process would
 * use, passes every call on, and counts while it is told to. The runner finds its three functions by name.
 *
 * It knows the requested size of blocks that were allocated while it counted, until they are freed, whenever that is. A
 * block from before that counts by its free alone.
 */

#include <stdint.h>

/* Totals since the start of the process. */
typedef struct CountTotals {
        uint64_t allocations; /* a realloc() is one, and a free too if it was given a block */
        uint64_t frees;
        uint64_t bytes;       /* requested */
        uint64_t live_blocks; /* counted and not freed yet */
        uint64_t live_bytes;
        uint64_t peak_bytes; /* the maximum of live_bytes since counting last began */
        uint64_t lost;       /* blocks without room in the table: live values are then too low */
} CountTotals;

/* Counts from here on, in all threads, but not while *@paused is not 0. @paused must live until the end. */
typedef void CountBegin(const uint64_t *paused);
typedef void CountEnd(void);
typedef void CountRead(CountTotals *ret_totals);

#define COUNT_BEGIN_NAME "benchd_count_begin"
#define COUNT_END_NAME   "benchd_count_end"
#define COUNT_READ_NAME  "benchd_count_read"

extern CountBegin benchd_count_begin;
extern CountEnd benchd_count_end;
extern CountRead benchd_count_read;

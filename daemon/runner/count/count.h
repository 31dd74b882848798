/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The counting library: it counts a body's allocations, in the pass that counts (runner/time/memory.h).
 *
 * The process that counts, and no other, starts with this library before all others (runner/load/start.h). It stands in front of the malloc family
 * that the process would have, hands everything on, and counts while it is told to. The runner finds its three functions by name.
 *
 * It knows the size that was asked for of blocks that were allocated while it counted, until they are freed, whenever
 * that is. Blocks from before are none of its business, but that they were freed.
 */

#include <stdint.h>

/* Since the process began. */
typedef struct CountTotals {
        uint64_t allocations; /* a realloc() is one, and a free too if it was given a block */
        uint64_t frees;
        uint64_t bytes;       /* asked for */
        uint64_t live_blocks; /* counted, and not freed since */
        uint64_t live_bytes;
        uint64_t peak_bytes; /* the highest that live_bytes was since counting last began */
        uint64_t lost;       /* blocks that there was no room to remember: what is live is then too low */
} CountTotals;

/* Counts from here on, but not while *@paused is other than 0, of whichever thread. @paused lives until the end. */
typedef void CountBegin(const uint64_t *paused);
typedef void CountEnd(void);
typedef void CountRead(CountTotals *ret_totals);

#define COUNT_BEGIN_NAME "benchd_count_begin"
#define COUNT_END_NAME   "benchd_count_end"
#define COUNT_READ_NAME  "benchd_count_read"

extern CountBegin benchd_count_begin;
extern CountEnd benchd_count_end;
extern CountRead benchd_count_read;

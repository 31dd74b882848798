/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The words of all bodies of a process, put together. Operations, items and bytes are each thread's own, since it
 * goes through its iterations at its own pace; counters of one name are one number, the sum over the threads. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct BodyTold BodyTold;
typedef struct SampleBlock SampleBlock;

/* Adds what @thread told to @block. False where there is no place for a counter of another name. */
bool tally_add(SampleBlock *block, uint32_t thread, const BodyTold *told);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The addresses of a process whose addresses are not random, by a draw of the plan: two processes that are compared have them in common, so
 * that no chance of either's places is taken for a difference, and each pair has others.
 *
 * The kernel puts mappings below the room that a stack may grow into, which is its limit when the process is executed, 128 MiB at the least
 * (mmap_base() in Linux' mm/util.c): a limit above that moves them by as much. The heap begins where the program's break is when
 * memory is first asked for.
 */

#include <stdint.h>

#define LAYOUT_NUMBER_MAX 24u /* bytes of a limit in digits, with its end */

/*
 * Before the second start: raises the limit of the stack so that mappings lie @pages lower, and writes what it was. With 0, or where a hard
 * limit forbids it, all stays as it is.
 */
void layout_shift_mappings(uint32_t pages, char ret_limit[static LAYOUT_NUMBER_MAX]);

/* After it: puts the limit back, which is also that of the threads to come. */
void layout_restore(const char *limit);

/* Moves the heap, of which nothing is used yet, by @pages. */
void layout_shift_heap(uint32_t pages);

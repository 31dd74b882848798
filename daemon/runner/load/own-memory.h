/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Memory of the runner's own, in pages of its own: malloc() is the module's where it brings one, which may be a toy that hands the same
 * block out twice, and the benchmark's heap is to be as in a program.
 */

#include <stddef.h>

/* Zeroed memory for @size bytes (1 or more), aligned to a page; NULL where there is none. */
void *own_memory_new(size_t size);

/* Gives it back; @size is as it was asked for. NULL is nothing. */
void own_memory_free(void *memory, size_t size);

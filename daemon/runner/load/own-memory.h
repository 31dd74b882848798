/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's own memory, in separate pages: malloc() may be the module's, which may be a toy that returns the same block twice, and
 * the benchmark's heap should be as in a program.
 */

#include <stddef.h>

/* Returns zeroed memory for @size bytes (1 or more), aligned to a page; NULL if there is none. */
void *own_memory_new(size_t size);

/* Frees memory of the requested @size. Does nothing for NULL. */
void own_memory_free(void *memory, size_t size);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module's own allocator, which nothing that stands in front of libc's can count.
 *
 * It is found by the symbols of the file: the module defines malloc() or C++'s operator new, and no relocation of it
 * asks the loader for malloc. One that defines malloc() and exports it has such a relocation, gets libc's at run time,
 * and can be counted; so can an operator new that is made of malloc().
 */

#include <stdbool.h>
#include <stddef.h>

/* True if the ELF file at @fd has one. False also if it has no section headers to tell. */
bool own_malloc_in(int fd);

/*
 * Memory of the runner's own, in pages of its own: malloc() is the module's where it brings one, which may be a toy that hands the same
 * block out twice, and the benchmark's heap is to be as in a program.
 */

/* Zeroed memory for @size bytes (1 or more), aligned to a page; NULL where there is none. */
void *own_memory_new(size_t size);

/* Gives it back; @size is as it was asked for. NULL is nothing. */
void own_memory_free(void *memory, size_t size);

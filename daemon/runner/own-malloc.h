/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Whether a module brings an allocator of its own, which nothing that stands in front of libc's can count.
 *
 * By the symbols of its file: it defines malloc() or C++'s operator new, and no relocation of it asks the loader for
 * malloc. One that defines malloc() and exports it has such a relocation, gets libc's at run time, and can be counted;
 * so can an operator new that is made of malloc().
 */

#include <stdbool.h>

/* Of the ELF file at @fd. False also where it has no section headers to tell. */
bool own_malloc_in(int fd);

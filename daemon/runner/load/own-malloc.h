/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module's own allocator, which a wrapper of libc's cannot count.
 *
 * It is found by the symbols of the file: the module defines malloc() or C++'s operator new, and has no relocation to
 * malloc. A module that defines malloc() and exports it has such a relocation, gets libc's at run time, and can be
 * counted; so can an operator new that calls malloc().
 */

#include <stdbool.h>

/* True if the ELF file at @fd has its own allocator. False also if it has no section headers. */
bool own_malloc_in(int fd);

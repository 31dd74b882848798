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

/* True if the ELF file at @fd has one. False also if it has no section headers to tell. */
bool own_malloc_in(int fd);

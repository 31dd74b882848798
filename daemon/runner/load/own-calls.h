/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's own calls of libc. A module is loaded before libc in the order of symbols, as in a program of its own, so its own write()
 * or clock_gettime() would also be the runner's. Each of the runner's references to a function of libc is bound to libc's definition
 * instead, before any code of the module runs.
 *
 * Three kinds stay the process's. Objects (environ, stdout) are one for all. The family of malloc() is what libc itself calls for memory
 * that the caller frees: two allocators would free each other's blocks. The runner keeps what it needs between batches in
 * memory of its own (runner/load/own-memory.h). The family of pthread_create() starts threads that a sanitizer has to know.
 *
 * ELF-64 object file format 1.5; System V ABI, chapter 5; DT_GNU_HASH and symbol versions as glibc's loader reads them.
 */

#include <stddef.h>

struct link_map;

/*
 * Binds them, by the tables of this executable and of the libc that is loaded. To be called from DT_PREINIT_ARRAY: it calls no function
 * itself. Returns how many were another's.
 */
size_t own_calls_bind(void);

/* The function @name of @version in the loaded object @map; NULL where it defines none. An indirect function is resolved. */
void *own_calls_find(const struct link_map *map, const char *name, const char *version);

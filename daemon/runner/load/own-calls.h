/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's own calls of libc. A module comes before libc in symbol order, as in a program, so a write() or clock_gettime() that it
 * defines would also be called by the runner. Each of the runner's references to a function of libc is bound to libc's definition
 * instead, before any code of the module runs.
 *
 * Three kinds keep the process-wide definition. Objects (environ, stdout) exist once. libc itself calls the malloc() family for memory
 * that the caller frees: with two allocators one would free the other's blocks. The runner keeps what it needs between batches in its
 * own memory (runner/load/own-memory.h). The family of pthread_create() starts threads that a sanitizer must know.
 *
 * ELF-64 object file format 1.5; System V ABI, chapter 5; DT_GNU_HASH and symbol versions as glibc's loader reads them.
 */

#include <stddef.h>

struct link_map;

/*
 * Binds them, with the tables of this executable and of the loaded libc. Called from DT_PREINIT_ARRAY, so it calls no function itself.
 * Returns how many were bound elsewhere.
 */
size_t own_calls_bind(void);

/*
 * The function @name of @version in the loaded object @map; NULL if it defines none. An indirect function is resolved.
 */
void *own_calls_find(const struct link_map *map, const char *name, const char *version);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Symbols that a process has only one of: g++ marks inline variables and the statics of inline functions STB_GNU_UNIQUE,
 * and the loader then binds all modules that define such a symbol to the first one's, RTLD_LOCAL or not. Two builds of
 * one module would share their state. In a copy of the file they are made weak, so that each module finds its own. In the same way a
 * process has only one library of a SONAME: a copy that has none answers to nothing but what the runner names it (loader.h).
 *
 * On bytes that come from a stranger: everything is checked before it is looked at. (ELF-64 object file format 1.5;
 * System V ABI, chapter 5; DT_GNU_HASH as the GNU linkers write it.)
 */

#include <stddef.h>

enum {
        _UNIQUE_E_SUCCESS,

        UNIQUE_E_INVALID, /* not a shared object whose symbols can be counted */
};

/* Rebinds those of the shared object in @image of @n bytes, 8-byte aligned, and counts them. Returns 0 or E_INVALID. */
int unique_rebind(void *image, size_t n, size_t *ret_n_rebound);

/* Takes the SONAME of the shared object in @image of @n bytes, 8-byte aligned. Returns 0 or E_INVALID. */
int unique_unname(void *image, size_t n);

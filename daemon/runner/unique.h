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
#include <stdint.h>

#include "ops/runner-plan.h"
#include "runner/elf-image.h"

enum {
        _UNIQUE_E_SUCCESS,

        UNIQUE_E_INVALID, /* not a shared object whose symbols can be counted */
};

typedef struct UniqueLibrary {
        const char *name; /* by which its side's files need it */
        ElfImage image;   /* as it came */
        uint32_t reach;   /* the libraries that it needs, and they in turn: bits */
} UniqueLibrary;

/*
 * The libraries of one side, which are one program with its module: where the module and a library that it needs define the same unique
 * symbol, the side has one, the library's, as it has without a comparison.
 */
typedef struct UniqueSide {
        UniqueLibrary libraries[RUNNER_LIBRARIES_MAX];
        uint32_t n;
} UniqueSide;

/* Adds the library in @image of @n bytes, 8-byte aligned, after those that it needs. @name and @image must outlive @side. */
void unique_side_add(UniqueSide *side, const char *name, void *image, size_t n);

/*
 * Rebinds the symbols of the shared object in @image of @n bytes, 8-byte aligned, and counts them: to those of a library of @side that it
 * needs, or to its own. Returns 0 or E_INVALID.
 */
int unique_rebind(void *image, size_t n, const UniqueSide *side, size_t *ret_n_rebound);

/* Takes the SONAME of the shared object in @image of @n bytes, 8-byte aligned. Returns 0 or E_INVALID. */
int unique_unname(void *image, size_t n);

/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The requests of a shared object to the dynamic loader: DT_NEEDED, DT_RUNPATH, DT_RPATH, DT_SONAME.
 *
 * Reads only 64-bit little-endian x86-64 files; any other file has no needs that could be met here, and the runner
 * reports it. The bytes are untrusted: every offset is checked against their bounds.
 */

#include <stddef.h>
#include <stdint.h>

#define ELF_NEEDED_MAX 64u

enum {
        _ELF_NEEDS_E_SUCCESS,

        ELF_NEEDS_E_FOREIGN,   /* not an x86-64 ELF file, or one without a dynamic section */
        ELF_NEEDS_E_MALFORMED, /* offsets beyond the file's end, strings without one, more than ELF_NEEDED_MAX */
};

/* Pointers into the file's bytes; NULL: not set in the file. */
typedef struct ElfNeeds {
        const char *soname;
        const char *rpath;
        const char *runpath;
        const char *needed[ELF_NEEDED_MAX];
        size_t n_needed;
} ElfNeeds;

/* Returns 0, E_FOREIGN or E_MALFORMED. */
int elf_needs_read(const uint8_t *data, size_t n_data, ElfNeeds *ret_needs);

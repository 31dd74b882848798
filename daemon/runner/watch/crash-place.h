/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The place of an instruction in words: the file that is mapped there, by /proc/self/maps, and the symbol in that file's own
 * table, since static functions have no other. For a signal handler: system calls alone, no lock, no allocation.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"

#define CRASH_FILES_MAX (RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX)
#define CRASH_CODE_MAX  16u

/* A file that was sent to be loaded. */
typedef struct CrashFile {
        int loaded_fd;         /* as the loader maps it */
        int symbols_fd;        /* as it was sent: what is loaded may be a copy without its symbols */
        uint32_t offset_bytes; /* by which the copy is moved */
        bool is_module;        /* ... not a library of its */
} CrashFile;

typedef struct CrashFiles {
        CrashFile files[CRASH_FILES_MAX];
        uint32_t n;
} CrashFiles;

/* Executable memory of a module. */
typedef struct CrashCode {
        uint64_t start;
        uint64_t end;
} CrashCode;

typedef struct CrashCodes {
        CrashCode rows[CRASH_CODE_MAX];
        uint32_t n;
} CrashCodes;

/* Finds the executable mappings of the modules among @files. */
void crash_place_modules(const CrashFiles *files, CrashCodes *ret_codes);

bool crash_place_is_module(const CrashCodes *codes, uint64_t address);

/* Finds what is at @address; ret_place->found is 0 where nothing is. */
void crash_place_find(const CrashFiles *files, uint64_t address, BlockCrashPlace *ret_place);

/*
 * Finds the symbol of the instruction at @offset_bytes of the ELF file in @fd: its name, and the distance from it; without one, an
 * empty name and the address that it was linked to. False where the file is not readable as ELF, or no part of it that is
 * loaded is there.
 */
bool crash_place_symbol(int fd, uint64_t offset_bytes, char symbol[static CRASH_SYMBOL_MAX], uint64_t *ret_offset);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The place of an instruction: the file that is mapped there, by /proc/self/maps, and the symbol in that file's full table,
 * the only one with static functions. For signal handlers: only system calls, no lock, no allocation.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"

#define CRASH_FILES_MAX (RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX)
#define CRASH_CODE_MAX  16u

/* A file that was sent to be loaded. */
typedef struct CrashFile {
        int loaded_fd;         /* as the loader maps it */
        int symbols_fd;        /* as sent: the loaded file may be a copy without symbols */
        uint32_t offset_bytes; /* the copy is moved by this */
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

/* Finds what is at @address; ret_place->found is 0 if nothing is. */
void crash_place_find(const CrashFiles *files, uint64_t address, BlockCrashPlace *ret_place);

/*
 * Finds the symbol of the instruction at @offset_bytes of the ELF file in @fd: its name and the distance from it; without a
 * symbol, an empty name and the linked address. False if the file is not readable as ELF, or no loaded part of it is there.
 */
bool crash_place_symbol(int fd, uint64_t offset_bytes, char symbol[static CRASH_SYMBOL_MAX], uint64_t *ret_offset);

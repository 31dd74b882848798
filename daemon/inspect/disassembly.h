/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The code of one benchmark for display: the function with its loop, parts of it that lie elsewhere, and the module's own functions that
 * the loop calls; each instruction with its text and source line; and the source, if the module has it.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/inspection-block.h"

typedef struct Code Code;
typedef struct DisassemblyDebug DisassemblyDebug;
typedef struct Decoder Decoder;
typedef struct ImageDescriptor ImageDescriptor;
typedef struct Image Image;

typedef struct DisassemblyInput {
        const Image *image;
        Decoder *decoder;
        DisassemblyDebug *info; /* NULL: none */
        const ImageDescriptor *descriptor;
        const Code *code;     /* NULL: its loop was not found */
        const uint8_t *flags; /* of each instruction */
} DisassemblyInput;

/* Fills in the part of @block for one benchmark. Returns 0 or a negative errno. */
int disassembly_fill(const DisassemblyInput *input, InspectionBlock *block);

/*
 * The debug information of a module: how each of its parts was compiled, and the lines that its instructions come from.
 */

/* Reads the debug information of @image, which must outlive it; NULL if there is none that can be read. */
DisassemblyDebug *disassembly_debug_new(const Image *image);
DisassemblyDebug *disassembly_debug_free(DisassemblyDebug *info);

/*
 * Writes the compiler's flags for the code at @address. False if the compiler did not record them (gcc does by default,
 * clang with -grecord-command-line).
 */
bool disassembly_debug_flags(DisassemblyDebug *info, uint64_t address, char flags[static INSPECTION_FLAGS_MAX]);

/* True if @path, from the debug information, is the file that the compiler was given as @name. */
bool disassembly_debug_is_file(const char *path, const char *name);

/* Finds the source line of the instruction at @address, with the path of its file, which lives as long as @info. */
bool disassembly_debug_line(DisassemblyDebug *info, uint64_t address, const char **ret_path, uint32_t *ret_line);

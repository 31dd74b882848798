/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The debug information of a module: how each of its parts was compiled, and the lines that its instructions come from.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/inspection-block.h"

typedef struct DebugInfo DebugInfo;
typedef struct Image Image;

/* Reads that of @image, which is to live as long; NULL where it has none that can be read. */
DebugInfo *debug_info_new(const Image *image);
DebugInfo *debug_info_free(DebugInfo *info);

/*
 * Writes the compiler's flags for the code at @address, as far as it noted them (gcc does by default, clang with
 * -grecord-command-line). False where it did not.
 */
bool debug_info_flags(DebugInfo *info, uint64_t address, char flags[static INSPECTION_FLAGS_MAX]);

/*
 * Writes the path of the source file of the code at @address that the compiler was given as @name: by the table of lines, which is there where
 * the unit has no name of its own (split DWARF, LTO), else by the unit's name. False where it is not known.
 */
bool debug_info_path(DebugInfo *info, uint64_t address, const char *name, char path[static INSPECTION_PATH_MAX]);

/* The reason why the debug information of @image tells no path of a source. */
InspectionNoPath debug_info_no_path(const Image *image);

/* True where @path, of the debug information, is the file that the compiler was given as @name. */
bool debug_info_is_file(const char *path, const char *name);

/* The line that the instruction at @address comes from, with the path of its file, which lives as long as @info. */
bool debug_info_line(DebugInfo *info, uint64_t address, const char **ret_path, uint32_t *ret_line);

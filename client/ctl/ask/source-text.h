/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sources of an inspected module: the text embedded in it or, read here with the user's rights, the file that its debug information
 * names, if that is below the places of source-places.h. A file that changed after the module was built may differ from what was compiled.
 */

#include <stdint.h>

typedef struct SourcePlaces SourcePlaces;
typedef struct json_t json_t;

/* The module of the sources. */
typedef struct SourceModule {
        const char *path; /* of its file, in whose directory relative source names are searched, too; NULL: none */
        int64_t made_ns;  /* since 1970; 0: unknown */
        const SourcePlaces *places;
} SourceModule;

/*
 * Completes each of "sources" of @inspection: reads "text" if the module has none; sets "origin" to "module", "file" or null, and "changed"
 * to true for a file newer than the module; sets "outside" to the path of a file that was not opened, since it is below no place. Without
 * sources, adds one for the benchmark's own file. Returns 0 or a negative errno.
 */
int source_texts_read(json_t *inspection, const SourceModule *module);

/* The time of the last change of the file at @path; 0 if it does not exist. */
int64_t source_changed_ns(const char *path);

/*
 * Copies line @line of @source, one of "sources", without its line end; the caller frees it. NULL: the text is unknown or has no such line.
 */
char *source_text_line(const json_t *source, uint64_t line);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The sources of an inspected module: the text that it carries itself or, read here with the user's own rights, the file that its
 * debug information names, if it is below the places of source-places.h. A file that changed after the module was made may no longer be what was compiled.
 */

#include <stdint.h>

typedef struct SourcePlaces SourcePlaces;
typedef struct json_t json_t;

/* The module that the sources belong to. */
typedef struct SourceModule {
        const char *path; /* of its file, beside which a source of a relative name is looked for too; NULL: there is none */
        int64_t made_ns; /* since 1970; 0: not known */
        const SourcePlaces *places;
} SourceModule;

/*
 * Completes each of "sources" of @inspection: "text" is read where the module has none; "origin" is "module", "file" or null, "changed"
 * is true for a file that is newer than the module; "outside" is the path of a file that was not looked at, since it is below no place, and is absent
 * otherwise. Without sources the benchmark's own file makes one. Returns 0 or a negative errno.
 */
int source_texts_read(json_t *inspection, const SourceModule *module);

/* The time of the last change of the file at @path, 0 if there is no such file. */
int64_t source_changed_ns(const char *path);

/* Line @line of @source, one of "sources", without its end; the caller's to free(). NULL: its text is not known, or has no such line. */
char *source_text_line(const json_t *source, uint64_t line);

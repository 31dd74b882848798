/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The file of --raw. It is checked before anything is measured, so that an unwritable path wastes no run, and replaced only when there are
 * samples.
 */

#include "util/file-draft.h"

typedef struct json_t json_t;

typedef struct RawFile {
        const char *path; /* NULL: none */
        FileDraft draft;
        bool failed; /* the last write is incomplete */
} RawFile;

#define RAW_FILE_NONE ((RawFile){ .draft = FILE_DRAFT_NONE })

/* Opens the file at @path, which must outlive it. Returns 0, FILE_DRAFT_E_*, or a negative errno. */
int raw_file_open(const char *path, RawFile *ret_file);

/* Writes the samples of @result, replacing any written before. Returns 0, RAW_E_*, or a negative errno. */
int raw_file_write(RawFile *file, const json_t *result);

/* Renames the file into place, if anything was written. Returns 0 or a negative errno. */
int raw_file_close(RawFile *file);

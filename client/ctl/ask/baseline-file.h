/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files of --baseline and --save-baseline: JSON of results, as --format=json prints it. The baseline is read before anything is
 * measured; the new one is written only after the command succeeded, so that a failure never replaces a good baseline. Each function prints
 * its own errors, and returns 0 or an exit code.
 */

#include "util/file-draft.h"

typedef struct Settings Settings;
typedef struct json_t json_t;

typedef struct BaselineFile {
        const char *path;      /* NULL: none is read */
        const char *save_path; /* NULL: none is written, and there is no draft */
        FileDraft draft;
        json_t *results; /* read from `path` */
        json_t *saved;   /* an array, to be written to `save_path` */
        double margin;
} BaselineFile;

/* Reads the baseline, if @settings name one. */
int baseline_file_open(const Settings *settings, BaselineFile *ret_file);
void baseline_file_clear(BaselineFile *file);

/*
 * Takes the result @json of a run: keeps it for saving, and returns its comparison with the baseline. Without a baseline, or without a
 * comparable one (it then says so), returns a new reference to @json itself. NULL: memory ran out.
 */
int baseline_file_take(BaselineFile *file, json_t *json, json_t **ret_shown);

/* Writes the taken results, and names the rows whose time is not that of the code alone. */
int baseline_file_save(BaselineFile *file);

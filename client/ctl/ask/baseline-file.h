/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files of --baseline and --save-baseline: JSON of results, as --format=json prints it. One is read before anything is measured, and the
 * other is written when the command ended well, so that no failure takes the place of a good baseline. Each function says what is
 * wrong, and returns 0 or an exit code.
 */

#include "util/file-draft.h"

typedef struct Settings Settings;
typedef struct json_t json_t;

typedef struct BaselineFile {
        const char *path;      /* NULL: none is read */
        const char *save_path; /* NULL: none is written, and there is no draft */
        FileDraft draft;
        json_t *results; /* that were read */
        json_t *saved;   /* an array, to be written */
        double margin;
} BaselineFile;

/* Reads the baseline that @settings name, if they do. */
int baseline_file_open(const Settings *settings, BaselineFile *ret_file);
void baseline_file_clear(BaselineFile *file);

/*
 * Takes the result @json of a run: keeps it to be saved, and gives its comparison with the baseline, or a new reference to itself where
 * there is no baseline or none to compare with, which it then says. NULL: memory ran out.
 */
int baseline_file_take(BaselineFile *file, json_t *json, json_t **ret_shown);

/* Writes the results that were taken, and names their rows whose time is not of the code alone. */
int baseline_file_save(BaselineFile *file);

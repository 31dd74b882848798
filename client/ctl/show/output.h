/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Output of results: stdout, or the file of --output, and the files of --export-*. Each file is checked before anything is measured, so that an unwritable path wastes no
 * run, and replaced only when all results are written. Each function prints its own errors, and returns 0 or an exit code.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/exec-settings.h"
#include "ctl/model/view.h"
#include "ctl/show/raw-file.h"
#include "ctl/show/show.h"
#include "util/file-draft.h"

typedef struct Settings Settings;
typedef struct json_t json_t;

typedef struct Output {
        FILE *file;       /* NULL: the file @path, not opened yet */
        const char *path; /* NULL: stdout */
        FileDraft draft;  /* of @path */
        char *page;       /* made for --open without a file; owned */
        bool opens;       /* opens a browser when written */
        RawFile raw;      /* for the samples of a result */
        const ShowFormat *format;
        const char *headline; /* a word of headline.h; NULL: the median */
        View view;
        bool brief;                 /* only the brief fields of results */
        bool plot;                  /* pictures below a result's table */
        bool begun;                 /* something was printed */
        ShowKind kind;              /* of @gathered */
        json_t *gathered;           /* an array, for formats that print once at the end; NULL: nothing yet */
        const char *const *exports; /* more files for a result, by ExecExport; each may be NULL */
        FileDraft exported[_EXEC_EXPORTS_N];
        bool array; /* results go into an array, since several modules make one JSON document */
} Output;

int output_open(const Settings *settings, Output *ret_output);

/* Announces @n_results. */
void output_expect(Output *output, size_t n_results);

/* Prints @json of @kind in the requested format; a format with a single document prints it in output_close(). */
int output_print(Output *output, ShowKind kind, const json_t *json);

/* Prints what is left to print. */
int output_close(Output *output);

/* Checks that all output to stdout was written. */
int output_check_stdout(void);

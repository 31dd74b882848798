/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The place for results: stdout, or the file of --output, which is looked at before anything is measured, so that a path
 * that cannot be written costs nothing, and replaced only when all results are written. Each function returns 0 or an exit
 * code, having said why.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "ctl/model/view.h"
#include "ctl/show/raw-file.h"
#include "ctl/show/show.h"
#include "util/file-draft.h"

typedef struct Settings Settings;
typedef struct json_t json_t;

typedef struct Output {
        FILE *file;       /* NULL: of @path, not begun */
        const char *path; /* NULL: stdout */
        FileDraft draft;  /* of @path */
        char *page;       /* made for --open, where no file was named; owned */
        bool opens;       /* in a browser, when it is written */
        RawFile raw;      /* for the samples of a result */
        const ShowFormat *format;
        const char *headline; /* a word of headline.h; NULL: the median */
        View view;
        bool brief;       /* of results the fields that scripts look at */
        bool plot;        /* pictures below a result's table */
        bool begun;       /* something was printed */
        ShowKind kind;    /* of @gathered */
        json_t *gathered; /* an array, of a format that prints it at the end; NULL: nothing yet */
        bool array;       /* of results, since several modules make one JSON document */
} Output;

int output_open(const Settings *settings, Output *ret_output);

/* Tells that @n_results follow. */
void output_expect(Output *output, size_t n_results);

/* Prints @json, which is of @kind, in the format that was asked for; at the end, if that is one document. */
int output_print(Output *output, ShowKind kind, const json_t *json);

/* Prints what is left to print. */
int output_close(Output *output);

/* Checks that what was printed on stdout reached it. */
int output_check_stdout(void);

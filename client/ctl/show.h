/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Formats of a verb's output, one row each. A format is a pure function of the daemon's JSON.
 */

#include <stddef.h>
#include <stdio.h>

typedef struct View View;
typedef struct json_t json_t;

typedef enum ShowKind {
        SHOW_RESULT,
        SHOW_LISTING,
        SHOW_STATUS,
        SHOW_HISTORY,
        SHOW_TREND,        /* times over earlier runs */
        SHOW_ACCEPTED,     /* a detached run */
        SHOW_CHANGE,       /* a job was cancelled or pinned */
        SHOW_GOVERNOR,     /* the changes that set one */
        SHOW_SOURCE,       /* of a benchmark */
        SHOW_CODE,         /* its machine code */
        SHOW_SIDE_BY_SIDE, /* two results */
} ShowKind;

/* Prints @json, which is of @kind, for @view. Returns 0 or a negative errno. */
typedef int (*ShowPrint)(ShowKind kind, const json_t *json, const View *view, FILE *out);

typedef struct ShowFormat {
        const char *name;
        ShowPrint print;
} ShowFormat;

#define SHOW_FORMATS "table, details, json and mark"

/* NULL if there is none of that name. */
const ShowFormat *show_find(const char *name);

/* The name of the format that the suffix of @path stands for, whether there is one or not; NULL: the suffix stands for none. */
const char *show_format_of_file(const char *path);

/* NULL past the last. */
const ShowFormat *show_format_at(size_t index);

int show_table(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_details(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_mark(ShowKind kind, const json_t *json, const View *view, FILE *out);
int show_json(ShowKind kind, const json_t *json, const View *view, FILE *out);

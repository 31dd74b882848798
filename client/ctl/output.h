/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Where results go: stdout, or the file of --output, which is opened before anything is measured, so that a path that
 * cannot be written costs nothing, and emptied only when there is a result.
 */

#include <stdbool.h>
#include <stdio.h>

#include "ctl/show.h"

typedef struct Settings Settings;
typedef struct json_t json_t;

typedef struct Output {
        FILE *file;
        const char *path; /* NULL: stdout */
        const ShowFormat *format;
        const char *scale; /* NULL: as the method shows it */
        bool color;
        bool begun; /* something was printed */
} Output;

/* Returns 0 or an exit code, having said why. */
int output_open(const Settings *settings, Output *ret_output);

/* Prints the JSON text @text of @kind. Returns 0 or an exit code, having said why. */
int output_print(Output *output, ShowKind kind, const json_t *json);

/* Returns 0 or an exit code, having said why. */
int output_close(Output *output);

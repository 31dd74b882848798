/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Reports for eyes: a run's table, a module's list, the daemon's state, its jobs. Pure: from JSON to text.
 */

#include <stdbool.h>
#include <stdio.h>

typedef struct json_t json_t;

/* Each returns 0 or a negative errno. */
int report_result(const json_t *result, bool color, FILE *out);
int report_listing(const json_t *listing, bool color, FILE *out);
int report_status(const json_t *status, bool color, FILE *out);
int report_history(const json_t *history, bool color, FILE *out);
int report_accepted(const json_t *accepted, bool color, FILE *out);
int report_change(const json_t *change, bool color, FILE *out);
int report_governor(const json_t *governor, bool color, FILE *out);

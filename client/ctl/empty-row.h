/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * EMPTY: the empty loop of a run as the first row of its table, the measure of what the harness itself adds. The first screen has it only
 * where another row hangs on it. Methods that take the loop off have their row NOTHING instead. Pure.
 */

#include "ctl/view.h"

typedef struct json_t json_t;

/* The row, as a new reference, in ret_row; NULL where the table of @result has none. Returns 0 or a negative errno. */
int empty_row(const json_t *result, const View *view, json_t **ret_row);

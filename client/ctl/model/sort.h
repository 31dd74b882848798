/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * --sort: the rows of a run or of a comparison in another order. Rows that are equal keep theirs, and a row without a number comes last.
 */

#include "ctl/model/view.h"

typedef struct json_t json_t;

/* Puts the rows of @result into another order: new arrays in place of its own. Returns 0 or a negative errno. */
int sort_rows(json_t *result, ViewSort sort);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * --sort: the rows of a run or of a comparison in another order. Rows that are equal keep theirs, and a row without a number comes last.
 */

#include "ctl/model/view.h"

typedef struct json_t json_t;

/* Makes of @result one with the same rows in the order of @sort; itself for none. A new reference in @ret_sorted. Returns 0 or a negative errno. */
int sort_result(const json_t *result, ViewSort sort, json_t **ret_sorted);

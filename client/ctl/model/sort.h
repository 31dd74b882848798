/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * --sort: the rows of a run or of a comparison in another order. Equal rows keep their order, and a row without a number comes last.
 */

#include "ctl/model/view.h"

typedef struct json_t json_t;

/*
 * Sorts the rows of @result in the order of @sort; without one, @ret_sorted is @result itself. A new reference in @ret_sorted. Returns 0 or
 * a negative errno.
 */
int sort_result(const json_t *result, ViewSort sort, json_t **ret_sorted);

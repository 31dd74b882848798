/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The answer of a search as a document: how it ended, the commits that may be the one with their probabilities, the change, and all steps.
 */

typedef struct BisectSearch BisectSearch;
typedef struct json_t json_t;

/* Returns 0 or a negative errno. */
int bisect_answer(const BisectSearch *search, json_t **ret_json);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Brief results (--brief): the fields that scripts check, with the same names and places as in the full document. Pure.
 */

typedef struct json_t json_t;

/* Picks the brief fields of @result, or of a document of several machines. Returns 0 or a negative errno. */
int brief_make(const json_t *result, json_t **ret_brief);

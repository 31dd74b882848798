/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Results in brief, for --brief: the fields that scripts gate on, under the names and in the places that they have in the whole. Pure.
 */

typedef struct json_t json_t;

/* Picks those of @result, or of a document of several machines. Returns 0 or a negative errno. */
int brief_make(const json_t *result, json_t **ret_brief);

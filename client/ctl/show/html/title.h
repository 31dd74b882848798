/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Titles of pages, as a person would say them: files without their directories, the built-in benchmarks by their areas.
 */

typedef struct json_t json_t;

/* Each returns a title that the caller frees; NULL if memory ran out. */
char *title_of_result(const json_t *result); /* "new.c against old.c", "calls, files" */
char *title_of_two(const json_t *json);      /* "a.so beside b.so" */
char *title_of_history(const json_t *trend); /* "hash over 12 runs" */

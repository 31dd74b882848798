/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The libraries that a run preloaded (--preload), in words.
 */

#include <jansson.h>
#include <stdio.h>

/*
 * Prints the names of those of @result, with commas between; of a comparison whose sides differ, "none against libx.so". Nothing where there are
 * none. @path is not looked at: it is there for tables of facts.
 */
void preloaded_print(const json_t *result, const char *path, FILE *out);

/* The same; "none" where there are none. */
void preloaded_print_always(const json_t *result, const char *path, FILE *out);

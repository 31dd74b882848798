/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The libraries that a run preloaded (--preload), in words.
 */

#include <jansson.h>
#include <stdio.h>

/*
 * Prints the preloaded libraries of @result, separated by commas; of a comparison whose sides differ, "none against libx.so". Prints
 * nothing if there are none. @path is ignored: tables of facts require it.
 */
void preloaded_print(const json_t *result, const char *path, FILE *out);

/* The same, but prints "none" if there are none. */
void preloaded_print_always(const json_t *result, const char *path, FILE *out);

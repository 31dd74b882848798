/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The platform of a result in words: one line with the facts that readers look for first, and the clock. The conditions that two results
 * must share are in words/condition.h.
 */

#include <stdbool.h>
#include <stdio.h>

#define PLATFORM_CLOCK_MAX 160

typedef struct View View;
typedef struct json_t json_t;

/*
 * Prints "# ", system, kernel, C library, compiler, CPU with model, microcode and caches, and local date of @result, as far as they are
 * known, in one line. A narrow @view gets fewer words, then fewer parts.
 */
void platform_print(const json_t *result, const View *view, FILE *out);

/*
 * Prints the compiler of @result's module; of a comparison whose sides differ, "gcc 13.2.0 against gcc 12.2.0", the new one first. @path is
 * ignored: tables of facts require it.
 */
void platform_print_compiler(const json_t *result, const char *path, FILE *out);

/* "family 25, model 33, stepping 2" of the CPU at @path; "L1 data 32 KiB, L2 512 KiB" of its caches at @path. */
void platform_print_model(const json_t *json, const char *path, FILE *out);
void platform_print_caches(const json_t *json, const char *path, FILE *out);

/*
 * Describes the clock @tsc of a result or a status: its name, its rate with the error, and its step. Returns false, and
 * writes nothing, if the rate is unknown.
 */
bool platform_describe_clock(const json_t *tsc, char ret_text[static PLATFORM_CLOCK_MAX]);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The drawing of one benchmark, all of it on one axis of times: on the left its processes in their order, each with its samples over time,
 * by cause, and its median as a dot, over the interval of the headline; on the right the distribution of the samples, the classes apart,
 * with its modes. A result without samples has the dots, and the histogram of the headline's samples.
 */

#include <stdio.h>

typedef struct SamplesRange SamplesRange;
typedef struct json_t json_t;

/* Widens @range by the times of @benchmark, if it has any. Returns 0 or a negative errno. */
int figure_range(const json_t *benchmark, SamplesRange *range);

/*
 * Prints the drawing, with a caption that counts its samples; nothing if the range is empty. @id is unique on the page. Returns 0 or a
 * negative errno.
 */
int figure_print(const char *id, const json_t *benchmark, const SamplesRange *range, FILE *out);

/*
 * Prints both sides of @pair, called by @names, the old one first, in one drawing: the medians of their processes beside each other over
 * their samples, and their distributions back to back. @id is unique on the page. Returns 0 or a negative errno.
 */
int figure_print_pair(const char *id, const json_t *pair, const char *const names[static 2], const SamplesRange *range,
                FILE *out);

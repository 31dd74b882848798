/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The clock of a result or a status in a few words: what it is, how fast, how well that is known, and its step.
 */

#include <stdbool.h>

#define CLOCK_TEXT_MAX 160

typedef struct json_t json_t;

/* Returns false, with nothing written, where @tsc does not say how fast it is. */
bool clock_describe(const json_t *tsc, char ret_text[static CLOCK_TEXT_MAX]);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One value of a benchmark's argument, as the listing, the plan, the runner and the report carry it: an integer, a real
 * number or a short text. Rows are named after it and filters match it, so a text has no characters that are special in
 * names or globs.
 */

#include <stdbool.h>
#include <stdint.h>

#define ARGUMENT_TEXT_MAX 32u /* bytes of a text, or of any value as text, with the final NUL */

typedef enum ArgumentKind {
        ARGUMENT_INTEGER,
        ARGUMENT_REAL,
        ARGUMENT_TEXT,
        _ARGUMENT_KIND_N,
} ArgumentKind;

/* Bytes that the kind does not use are 0, so equal values have equal bytes. */
typedef struct ArgumentValue {
        uint32_t kind; /* ArgumentKind */
        uint32_t padding;
        union {
                int64_t integer;
                double real;
                char text[ARGUMENT_TEXT_MAX];
        };
} ArgumentValue;

ArgumentValue argument_integer(int64_t integer);
ArgumentValue argument_real(double real);

/* Makes a value of @text, cut to ARGUMENT_TEXT_MAX. */
ArgumentValue argument_text(const char *text);

/* True if @c may stand in a text. */
bool argument_character_is_valid(char c);

/* True if @value is valid, also if it was forged: a known kind, a finite number, or a text of allowed characters. */
bool argument_is_valid(const ArgumentValue *value);

/* Writes @value, which is valid, as in the name of a row: a real number to 15 digits. Returns @text. */
const char *argument_print(const ArgumentValue *value, char text[static ARGUMENT_TEXT_MAX]);

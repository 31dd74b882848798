/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One value of a benchmark's argument, on its way from a module's listing through plan and runner to the report: a whole
 * number, a real one or a short text. Rows are named after it and filters match it, so a text holds nothing that names and
 * globs give a meaning to.
 */

#include <stdbool.h>
#include <stdint.h>

#define ARGUMENT_TEXT_MAX 32u /* bytes of a text, or of any value in words, with its end */

typedef enum ArgumentKind {
        ARGUMENT_INTEGER,
        ARGUMENT_REAL,
        ARGUMENT_TEXT,
        _ARGUMENT_KIND_N,
} ArgumentKind;

/* Bytes that its kind does not use are 0: equal values are equal bytes. */
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

/* @text is cut to ARGUMENT_TEXT_MAX. */
ArgumentValue argument_text(const char *text);

/* True if @c may stand in a text. */
bool argument_character_is_valid(char c);

/* True if @value is one, whoever wrote it: of a known kind, a finite number, or a text of the allowed characters. */
bool argument_is_valid(const ArgumentValue *value);

/* Writes @value, which is valid, as it stands in the name of a row: a real number to 15 digits. Returns @text. */
const char *argument_print(const ArgumentValue *value, char text[static ARGUMENT_TEXT_MAX]);

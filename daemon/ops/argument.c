/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/argument.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

ArgumentValue argument_integer(int64_t integer) {
        ArgumentValue value;

        memset(&value, 0, sizeof value);
        value.kind = ARGUMENT_INTEGER;
        value.integer = integer;
        return value;
}

ArgumentValue argument_real(double real) {
        ArgumentValue value;

        memset(&value, 0, sizeof value);
        value.kind = ARGUMENT_REAL;
        value.real = real;
        return value;
}

ArgumentValue argument_text(const char *text) {
        ArgumentValue value;

        memset(&value, 0, sizeof value);
        value.kind = ARGUMENT_TEXT;
        memcpy(value.text, text, strnlen(text, sizeof value.text - 1));
        return value;
}

bool argument_character_is_valid(char c) {
        return (unsigned char)c < 0x80 && (isalnum((unsigned char)c) || (c && strchr("_.-+:@%", c)));
}

static bool text_is_valid(const char *text) {
        size_t n = strnlen(text, ARGUMENT_TEXT_MAX);

        for (size_t i = 0; i < n; i++)
                if (!argument_character_is_valid(text[i]))
                        return false;
        return n > 0 && n < ARGUMENT_TEXT_MAX;
}

bool argument_is_valid(const ArgumentValue *value) {
        switch (value->kind) {
        case ARGUMENT_INTEGER:
                return true;
        case ARGUMENT_REAL:
                return isfinite(value->real);
        case ARGUMENT_TEXT:
                return text_is_valid(value->text);
        default:
                return false;
        }
}

const char *argument_print(const ArgumentValue *value, char text[static ARGUMENT_TEXT_MAX]) {
        if (value->kind == ARGUMENT_INTEGER)
                snprintf(text, ARGUMENT_TEXT_MAX, "%" PRId64, value->integer);
        else if (value->kind == ARGUMENT_REAL)
                snprintf(text, ARGUMENT_TEXT_MAX, "%.15g", value->real);
        else
                snprintf(text, ARGUMENT_TEXT_MAX, "%s", value->text);
        return text;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/markdown.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define ALWAYS "|\\`*<>[]~$"

/* These begin a heading or an item. Nobody tells "-" from the sign of a number, so callers begin no line with it. */
#define FIRST "#+"

/* Within a word an underscore is plain. */
static bool is_plain_underscore(const char *text, size_t n, size_t i) {
        return i > 0 && isalnum((unsigned char)text[i - 1]) && i + 1 < n && isalnum((unsigned char)text[i + 1]);
}

/* An entity, or what looks like one: "&amp;". */
static bool is_entity(const char *text, size_t n, size_t i) {
        return i + 1 < n && (isalnum((unsigned char)text[i + 1]) || text[i + 1] == '#');
}

static bool is_mark(const char *text, size_t n, size_t i) {
        if (text[i] == '_')
                return !is_plain_underscore(text, n, i);
        if (text[i] == '&')
                return is_entity(text, n, i);
        return strchr(ALWAYS, text[i]) || (i == 0 && strchr(FIRST, text[i]));
}

void markdown_print(const char *text, size_t n, FILE *out) {
        for (size_t i = 0; i < n; i++)
                fprintf(out, is_mark(text, n, i) ? "\\%c" : "%c", text[i]);
}

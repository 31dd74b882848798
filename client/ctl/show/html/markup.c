/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/markup.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/error.h"

static const char *entity_of(char character) {
        switch (character) {
        case '&':
                return "&amp;";
        case '<':
                return "&lt;";
        case '>':
                return "&gt;";
        case '"':
                return "&quot;";
        default:
                return "&#39;";
        }
}

void markup_text(const char *text, FILE *out) {
        while (text && *text) {
                const size_t n = strcspn(text, "&<>\"'");

                fwrite(text, 1, n, out);
                text += n;
                if (*text)
                        fputs(entity_of(*text++), out);
        }
}

static ssize_t markup_write(void *cookie, const char *bytes, size_t n) {
        FILE *out = cookie;

        for (size_t i = 0; i < n; i++)
                if (strchr("&<>\"'", bytes[i]))
                        fputs(bytes[i] ? entity_of(bytes[i]) : "", out);
                else
                        fputc(bytes[i], out);
        return (ssize_t)n;
}

int markup_open(FILE *out, FILE **ret_text) {
        FILE *text;

        text = fopencookie(out, "w", (cookie_io_functions_t){ .write = markup_write });
        if (!text)
                return error_origin(-ENOMEM);
        *ret_text = text;
        return 0;
}

void markup_print(void (*print)(const json_t *json, FILE *out), const json_t *json, FILE *out) {
        FILE *text;

        if (markup_open(out, &text))
                return;
        print(json, text);
        fclose(text);
}

void markup_format(FILE *out, const char *format, ...) {
        _cleanup_(freep) char *text = NULL;
        va_list arguments;

        va_start(arguments, format);
        if (vasprintf(&text, format, arguments) < 0)
                text = NULL;
        va_end(arguments);
        markup_text(text, out);
}

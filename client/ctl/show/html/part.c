/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/part.h"

#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/show/html/markup.h"

static void print_path(const json_t *row, FILE *out) {
        cell_path(NULL, row, NULL, NULL, out);
}

void part_print_name(const json_t *row, FILE *out) {
        fputs("<bdi>", out);
        markup_print(print_path, row, out);
        fputs("</bdi>", out);
}

void part_print_only(const json_t *names, const char *where, FILE *out) {
        const json_t *name;

        if (json_array_size(names) == 0)
                return;
        fputs("<p class=\"only\">Only in ", out);
        markup_text(where, out);
        json_each(i, name, names) {
                fputs(i ? ", <bdi>" : ": <bdi>", out);
                markup_text(json_string_value(name), out);
                fputs("</bdi>", out);
        }
        fputs("</p>\n", out);
}

const char *part_failure_class(const json_t *benchmark) {
        const char *code = row_failure(benchmark);

        return code && strcmp(code, "skipped") == 0 ? "skipped" : "failed";
}

int part_print_item(void *where, const char *sentence) {
        FILE *out = where;

        fputs("<li>", out);
        markup_text(sentence, out);
        fputs("</li>", out);
        return 0;
}

void part_print_warnings(const json_t *row, FILE *out) {
        const json_t *warnings = json_at(row, "warnings");

        if (json_array_size(warnings) == 0)
                return;
        fputs("<ul class=\"findings\">", out);
        for (size_t i = 0; i < json_array_size(warnings); i++)
                (void)part_print_item(out, json_string_value(json_array_get(warnings, i)));
        fputs("</ul>\n", out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/part.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/show/html/markup.h"

double part_unit_ns(const json_t *result) {
        double ns;

        return json_number_at(result, "scale.ns", &ns) ? ns : 1;
}

void part_print_name(const json_t *row, bool area, FILE *out) {
        const char *of = json_text_at(row, "area");
        FILE *text;

        fputs("<bdi>", out);
        if (markup_open(out, &text) == 0) {
                if (area && of)
                        fprintf(text, "%s/", of);
                cell_print_name(row, text);
                fclose(text);
        }
        fputs("</bdi>", out);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/html/part.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/plots/samples.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

#define NOTICES_SHOWN 3u

static void print_path(const json_t *row, FILE *out) {
        cell_path(NULL, row, NULL, NULL, out);
}

void part_print_name(const json_t *row, FILE *out) {
        fputs("<bdi>", out);
        markup_print(print_path, row, out);
        fputs("</bdi>", out);
}

void part_print_no_samples(const json_t *result, FILE *out) {
        if (!samples_were_kept(result_rows(result)))
                fputs("<p class=\"legend\">" REPORT_NO_SAMPLES
                      ": the pictures have the medians of its processes and a histogram. "
                      "<code>--keep-samples</code> keeps them for later, and <code>-o FILE.html</code> or <code>--open</code> of the run itself "
                      "shows them.</p>\n",
                                out);
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

/* Warnings begin with a small letter, since a terminal has "warning: " before them. A first word such as perf_event is a name. */
char *part_sentence(const char *sentence) {
        const size_t n = strcspn(sentence, " "), n_letters = strspn(sentence, "abcdefghijklmnopqrstuvwxyz'");
        const bool is_word = n_letters > 0 && (n_letters == n || n_letters + 1 == n) &&
                             !strchr("-_/.=", sentence[n_letters]);
        char *text = strdup(sentence);

        if (text && is_word)
                *text = (char)toupper((unsigned char)*text);
        return text;
}

int part_print_sentence(void *where, const char *sentence) {
        _cleanup_(freep) char *text = part_sentence(sentence);

        return text ? part_print_item(where, text) : error_origin(-ENOMEM);
}

static void print_items(const json_t *sentences, size_t from, size_t to, FILE *out) {
        fputs("<ul class=\"warnings\">", out);
        for (size_t i = from; i < to; i++)
                (void)part_print_item(out, json_string_value(json_array_get(sentences, i)));
        fputs("</ul>\n", out);
}

void part_print_notices(const json_t *sentences, FILE *out) {
        const size_t n = json_array_size(sentences), n_shown = n > NOTICES_SHOWN + 1 ? NOTICES_SHOWN : n;

        if (n == 0) {
                fputs("<p class=\"calm\">No warning about the machine or the run.</p>\n", out);
                return;
        }
        print_items(sentences, 0, n_shown, out);
        if (n_shown == n)
                return;
        fprintf(out, "<details class=\"more\"><summary>%zu more warnings</summary>\n", n - n_shown);
        print_items(sentences, n_shown, n, out);
        fputs("</details>\n", out);
}

void part_print_warnings(const json_t *row, FILE *out) {
        const json_t *warnings = json_at(row, "warnings");

        if (json_array_size(warnings) == 0)
                return;
        fputs("<ul class=\"findings\">", out);
        for (size_t i = 0; i < json_array_size(warnings); i++)
                (void)part_print_sentence(out, json_string_value(json_array_get(warnings, i)));
        fputs("</ul>\n", out);
}

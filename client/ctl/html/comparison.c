/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison: the table of the terminal, with each ratio drawn as an interval against the margin, all on one logarithmic axis; then
 * both sides of each pair, on one axis of times.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/html/figure.h"
#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/json-path.h"
#include "ctl/plots/picture.h"
#include "ctl/plots/svg.h"
#include "ctl/report.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TICK_GAP 160

static const struct {
        const char *name; /* as --columns has it */
        const char *title;
        const char *path; /* of the number to sort by; NULL: none */
        bool left;
        bool detail; /* of a pair's article, and of the table only where --columns names it */
} columns[] = {
        { "old", "old", NULL, false },
        { "new", "new", NULL, false },
        { "ratio", "new / old", "ratio.point", false },
        { "interval", "95 % interval", NULL, false },
        { "verdict", "verdict", NULL, true },
        { "p", "p", "p_value", false, true },
        { "detectable", "detectable", "detectable", false, true },
        { "processes", "processes", "processes", false, true },
        { "note", "note", NULL, true },
};

#define COLUMN_DRAWN 3u /* the drawing follows the interval */

/* ---- the table */

typedef struct ComparisonTable {
        const char *id;
        const json_t *result;
        bool shown[N_ELEMENTS(columns)];
        size_t n_shown;
        Picture picture;
        FILE *out;
} ComparisonTable;

static void table_clear(ComparisonTable *table) {
        picture_clear(&table->picture);
}

static bool is_named(const char *names, const char *name) {
        const size_t n = strlen(name);

        for (; names && *names; names += strcspn(names, ","), names += strspn(names, ","))
                if (strcspn(names, ",") == n && memcmp(names, name, n) == 0)
                        return true;
        return false;
}

/* The drawing stands after the interval, or where that would. */
static void print_titles(const ComparisonTable *table) {
        fputs("<thead><tr><th scope=\"col\">pair</th>", table->out);
        for (size_t i = 0; i < N_ELEMENTS(columns); i++) {
                if (table->shown[i])
                        fprintf(table->out, "<th scope=\"col\"%s>%s</th>", columns[i].left ? "" : " class=\"number\"",
                                        columns[i].title);
                if (i != COLUMN_DRAWN)
                        continue;
                fputs("<th scope=\"col\" class=\"drawn\" data-unsorted>", table->out);
                svg_scale(&table->picture, TICK_GAP, table->out);
                fputs("</th>", table->out);
        }
        fputs("</tr></thead>\n", table->out);
}

/* The number behind a column's text; false without one. */
static bool sort_number(const json_t *result, size_t index, size_t column, double *ret_number) {
        const json_t *comparison = json_array_get(json_at(result, "comparisons"), index);
        const char *name = columns[column].name;
        const json_t *side = strcmp(name, "old") == 0 || strcmp(name, "new") == 0
                                             ? report_comparison_side(result, comparison, name)
                                             : NULL;

        if (side)
                return json_number_at(side, "time_ns.point", ret_number);
        return columns[column].path && json_number_at(comparison, columns[column].path, ret_number);
}

static int print_cell(const ComparisonTable *table, size_t index, size_t column) {
        const char *name = columns[column].name;
        _cleanup_(freep) char *text = report_comparison_text(table->result, index, name);
        double number;

        if (!text)
                return error_origin(-ENOMEM);
        fputs("<td class=\"", table->out);
        if (strcmp(name, "verdict") == 0)
                markup_format(table->out, "verdict %s", text);
        else
                fputs(strcmp(name, "ratio") == 0 ? "number head" : columns[column].left ? name : "number", table->out);
        fputc('"', table->out);
        if (sort_number(table->result, index, column, &number))
                fprintf(table->out, " data-v=\"%.9g\"", number);
        fputc('>', table->out);
        markup_text(*text || columns[column].left ? text : "–", table->out);
        fputs("</td>", table->out);
        return 0;
}

static int print_cells(const ComparisonTable *table, size_t index) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < N_ELEMENTS(columns); i++) {
                if (table->shown[i])
                        r = print_cell(table, index, i);
                if (i != COLUMN_DRAWN)
                        continue;
                fputs("<td class=\"drawn\">", table->out);
                svg_row(&table->picture, index, table->out);
                fputs("</td>", table->out);
        }
        return error_trace(r);
}

static int print_row(const ComparisonTable *table, size_t index) {
        const json_t *failed = report_comparison_failed(table->result, index);
        _cleanup_(freep) char *name = report_comparison_text(table->result, index, "name");
        const char *message = json_text_at(failed, "failed.message");
        int r = name ? 0 : error_origin(-ENOMEM);

        fprintf(table->out, "<tr class=\"row\"><th scope=\"row\"><a href=\"#%s-%zu\"><bdi>", table->id, index);
        markup_text(name, table->out);
        fputs("</bdi></a></th>", table->out);
        if (failed) {
                fprintf(table->out, "<td class=\"%s\" colspan=\"%zu\">", part_failure_class(failed),
                                table->n_shown + 1);
                markup_text(message ? message : "It failed.", table->out);
                fputs("</td>", table->out);
        } else if (r == 0)
                r = print_cells(table, index);
        fputs("</tr>\n", table->out);
        return error_trace(r);
}

static int print_table(const char *id, const json_t *result, const View *view, FILE *out) {
        const json_t *comparisons = json_at(result, "comparisons");
        _cleanup_(table_clear) ComparisonTable table = { .id = id, .result = result, .out = out };
        int r;

        picture_ratios(result, &table.picture);
        r = picture_finish(&table.picture);
        for (size_t i = 0; i < N_ELEMENTS(columns); i++) {
                table.shown[i] = view->columns ? is_named(view->columns, columns[i].name) : !columns[i].detail;
                table.n_shown += table.shown[i];
        }
        fputs("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"sortable compared\">\n",
                        out);
        print_titles(&table);
        fputs("<tbody>", out);
        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++)
                r = print_row(&table, i);
        fputs("</tbody></table></div>\n"
              "<p class=\"legend\">A dot is the ratio of the times, new / old, its line the 95 % interval; the band is the margin "
              "within which both sides count as the same. Left of it is faster.</p>\n",
                        out);
        return error_trace(r);
}

/* ---- pairs */

static int print_side(const char *id, const json_t *result, size_t index, const char *side, const TimeRange *range,
                FILE *out) {
        const json_t *comparison = json_array_get(json_at(result, "comparisons"), index);
        const json_t *benchmark = report_comparison_side(result, comparison, side);
        char own[PART_ID_MAX + 8];

        if (!benchmark)
                return 0;
        snprintf(own, sizeof own, "%s-%zu-%s", id, index, side);
        fprintf(out, "<h4>%s</h4>\n", side);
        return error_trace(part_print_benchmark(own, result, benchmark, range, out));
}

/* The columns that the table leaves to the article. */
static int print_details(const json_t *result, size_t index, FILE *out) {
        fputs("<dl class=\"figures\">", out);
        for (size_t i = 0; i < N_ELEMENTS(columns); i++) {
                _cleanup_(freep) char *text = report_comparison_text(result, index, columns[i].name);

                if (!text)
                        return error_origin(-ENOMEM);
                if (!*text || strcmp(columns[i].name, "note") == 0)
                        continue;
                fprintf(out, "<div><dt>%s</dt><dd>", columns[i].title);
                markup_text(text, out);
                fputs("</dd></div>", out);
        }
        fputs("</dl>\n", out);
        return 0;
}

static int print_pair(const char *id, const json_t *result, size_t index, FILE *out) {
        const json_t *comparison = json_array_get(json_at(result, "comparisons"), index);
        const json_t *old = report_comparison_side(result, comparison, "old");
        const json_t *new = report_comparison_side(result, comparison, "new");
        _cleanup_(freep) char *name = report_comparison_text(result, index, "name");
        TimeRange range = time_range(part_unit_ns(result));
        int r;

        if (!name)
                return error_origin(-ENOMEM);
        r = figure_range(old, &range);
        if (r == 0)
                r = figure_range(new, &range);
        if (r)
                return error_trace(r);
        fprintf(out, "<article id=\"%s-%zu\"><h3><bdi>", id, index);
        markup_text(name, out);
        fputs("</bdi></h3>\n", out);
        r = print_details(result, index, out);
        part_print_warnings(json_array_get(json_at(result, "comparisons"), index), out);
        if (r == 0)
                r = print_side(id, result, index, "old", &range, out);
        if (r == 0)
                r = print_side(id, result, index, "new", &range, out);
        fputs("</article>\n", out);
        return error_trace(r);
}

static void print_only(const json_t *result, const char *path, const char *words, FILE *out) {
        const json_t *names = json_at(result, path);

        if (json_array_size(names) == 0)
                return;
        fprintf(out, "<p class=\"only\">%s: ", words);
        for (size_t i = 0; i < json_array_size(names); i++) {
                fputs(i ? ", <bdi>" : "<bdi>", out);
                markup_text(json_string_value(json_array_get(names, i)), out);
                fputs("</bdi>", out);
        }
        fputs("</p>\n", out);
}

void comparison_print_unpaired(const json_t *result, FILE *out) {
        print_only(result, "only_old", "Only in the old module", out);
        print_only(result, "only_new", "Only in the new module", out);
}

int comparison_print(const char *id, const json_t *result, const View *view, FILE *out) {
        int r;

        fputs("<section><h2>Comparison</h2>\n", out);
        r = print_table(id, result, view, out);
        if (r)
                return error_trace(r);
        comparison_print_unpaired(result, out);
        fputs("<ul class=\"findings\">", out);
        r = report_comparison_each_finding(result, &(View){}, part_print_item, out);
        fputs("</ul></section>\n<section><h2>Both sides</h2>\n", out);
        for (size_t i = 0; r == 0 && i < json_array_size(json_at(result, "comparisons")); i++)
                r = print_pair(id, result, i, out);
        fputs("</section>\n", out);
        return error_trace(r);
}

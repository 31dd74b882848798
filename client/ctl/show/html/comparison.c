/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison: the table of the terminal, with each ratio drawn as an interval against the margin, all on one logarithmic axis; then
 * both sides of each pair, on one axis of times.
 */

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/html/figure.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/table.h"
#include "ctl/show/html/term.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TICK_GAP 160

/* ---- the table */

typedef struct ComparisonTable {
        const char *id;
        bool has_reference;
        Columns columns;
        size_t drawn; /* the column that the drawing follows: the interval, or the one before which that would stand */
        Picture picture;
        FILE *out;
} ComparisonTable;

static void comparison_table_clear(ComparisonTable *table) {
        picture_clear(&table->picture);
}

/* The columns of details are in a pair's article, and in the table only where --columns names them. */
static int choose_columns(ComparisonTable *table, const json_t *result, const json_t *pairs, const View *view) {
        Columns *columns = &table->columns;
        size_t n = 1;
        int r;

        columns_choose(result, view->columns, false, columns);
        columns_tell(columns, &view->times);
        for (size_t i = 1; i < columns->n; i++)
                if (columns->columns[i].rank < COLUMN_RANK_DETAIL)
                        columns->columns[n++] = columns->columns[i];
        columns->n = n;
        r = table_leave_out(columns, pairs);
        table->drawn = 0;
        for (size_t i = 1; i < columns->n; i++)
                if (columns->columns[i].fill == cell_time || columns->columns[i].fill == cell_ratio ||
                                columns->columns[i].fill == cell_ratio_interval)
                        table->drawn = i;
        return error_trace(r);
}

static void print_titles(const ComparisonTable *table) {
        fprintf(table->out, "<th scope=\"col\">%s</th>", table->has_reference ? "command" : "pair");
        for (size_t i = 0; i < table->columns.n; i++) {
                if (i > 0)
                        table_print_title(&table->columns.columns[i], table->out);
                if (i == table->drawn)
                        table_print_scale(&table->picture, TICK_GAP, table->out);
        }
        fputs("</tr></thead>\n", table->out);
}

static int print_cells(const ComparisonTable *table, size_t index, const json_t *pair) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < table->columns.n; i++) {
                if (i > 0)
                        r = table_print_cell(&table->columns.columns[i], pair, table->out);
                if (i == table->drawn)
                        table_print_drawing(&table->picture, index, table->out);
        }
        return error_trace(r);
}

static int print_row(const ComparisonTable *table, size_t index, const json_t *pair) {
        int r = 0;

        fprintf(table->out, "<tr class=\"row\"><th scope=\"row\"><a href=\"#%s-%zu\">", table->id, index);
        part_print_name(pair, table->out);
        fputs("</a></th>", table->out);
        if (json_at(pair, "failed"))
                table_print_failure(pair, table->columns.n, table->out);
        else
                r = print_cells(table, index, pair);
        fputs("</tr>\n", table->out);
        return error_trace(r);
}

static int print_table(const char *id, const json_t *result, const json_t *pairs, const View *view, FILE *out) {
        _cleanup_(comparison_table_clear) ComparisonTable table = {
                .id = id,
                .has_reference = result_has_reference(result),
                .out = out,
        };
        int r;

        picture_ratios(result, &table.picture);
        r = picture_finish(&table.picture);
        if (r == 0)
                r = choose_columns(&table, result, pairs, view);
        table_begin("sortable compared", out);
        print_titles(&table);
        fputs("<tbody>", out);
        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++)
                r = print_row(&table, i, json_array_get(pairs, i));
        fputs("</tbody>", out);
        table_end(out);
        fprintf(out,
                        "<p class=\"legend wide\">A dot is the ratio of the times, %s, its line the 95 %% interval; the band is the margin "
                        "within which both sides count as the same. Left of it is faster.</p>\n",
                        table.has_reference ? "command / reference" : "new / old");
        return error_trace(r);
}

/* ---- pairs */

static const char *const sides[] = { "old", "new" };

/* Commands are known by their titles. */
static void name_sides(const json_t *result, const json_t *pair, const char *ret_names[static 2]) {
        for (size_t i = 0; i < N_ELEMENTS(sides); i++)
                ret_names[i] = result_has_reference(result) ? json_text_or(json_at(pair, sides[i]), "title", sides[i])
                                                            : sides[i];
}

static int print_side(const char *id, const json_t *result, const json_t *pair, size_t index, const char *side,
                const char *name, const SamplesRange *range, const View *view, FILE *out) {
        const json_t *benchmark = json_at(pair, side);
        char own[PART_ID_MAX + 8];

        if (!benchmark)
                return 0;
        snprintf(own, sizeof own, "%s-%zu-%s", id, index, side);
        fputs("<h4>", out);
        markup_text(name, out);
        fputs("</h4>\n", out);
        return error_trace(part_print_benchmark(own, result, benchmark, range, view, out));
}

/* Both in one drawing; each by itself is folded below it, or is all that there is. */
static int print_sides(const char *id, const json_t *result, const json_t *pair, size_t index,
                const SamplesRange *range, const View *view, FILE *out) {
        const bool both = row_has_time(json_at(pair, "old")) && row_has_time(json_at(pair, "new"));
        const char *names[N_ELEMENTS(sides)];
        char own[PART_ID_MAX + 8];
        int r = 0;

        name_sides(result, pair, names);
        snprintf(own, sizeof own, "%s-%zu-both", id, index);
        if (both)
                r = figure_print_pair(own, pair, names, range, out);
        fputs(both ? "<details class=\"sides\"><summary>Each side by itself</summary>\n" : "", out);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(sides); i++)
                r = print_side(id, result, pair, index, sides[i], names[i], range, view, out);
        fputs(both ? "</details>\n" : "", out);
        return error_trace(r);
}

/* All columns but the notes, since the full warnings are below. */
static int print_details(const json_t *result, const json_t *pair, const View *view, FILE *out) {
        Columns columns;

        columns_choose_all(columns_kind(result), &columns);
        columns_tell(&columns, &view->times);
        columns_leave_out(&columns, cell_pair_notes);
        fputs("<dl class=\"figures\">", out);
        for (size_t i = 1; i < columns.n; i++) {
                _cleanup_(freep) char *text = column_text(&columns.columns[i], pair);

                if (!text)
                        return error_origin(-ENOMEM);
                if (!*text)
                        continue;
                fputs("<div><dt>", out);
                term_print_bare(columns.columns[i].title, out);
                fputs("</dt><dd>", out);
                markup_text(text, out);
                fputs("</dd></div>", out);
        }
        fputs("</dl>\n", out);
        return 0;
}

static int print_pair(const char *id, const json_t *result, const json_t *pair, size_t index, const View *view,
                FILE *out) {
        SamplesRange range = samples_range(view->times.unit);
        int r;

        r = figure_range(json_at(pair, "old"), &range);
        if (r == 0)
                r = figure_range(json_at(pair, "new"), &range);
        if (r)
                return error_trace(r);
        fprintf(out, "<article id=\"%s-%zu\"><h3>", id, index);
        part_print_name(pair, out);
        fputs("</h3>\n", out);
        r = print_details(result, pair, view, out);
        part_print_warnings(pair, out);
        if (r == 0)
                r = print_sides(id, result, pair, index, &range, view, out);
        fputs("</article>\n", out);
        return error_trace(r);
}

void comparison_print_unpaired(const json_t *result, FILE *out) {
        part_print_only(json_at(result, "only_old"), "the old module", out);
        part_print_only(json_at(result, "only_new"), "the new module", out);
}

int comparison_print(const char *id, const json_t *result, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *pairs = NULL;
        int r;

        r = rows_of_pairs(result, &pairs);
        if (r)
                return error_trace(r);
        rows_shorten_names(result, pairs);
        fputs("<section><h2>Comparison</h2>\n", out);
        r = print_table(id, result, pairs, view, out);
        if (r)
                return error_trace(r);
        comparison_print_unpaired(result, out);
        fputs("<ul class=\"findings\">", out);
        r = report_comparison_each_finding(result, &(View){}, part_print_sentence, out);
        fputs("</ul></section>\n", out);
        if (r == 0)
                r = sweeps_print(id, result, view, out);
        if (r)
                return error_trace(r);
        fputs("<section><h2>Both sides</h2>\n", out);
        part_print_no_samples(result, out);
        for (size_t i = 0; r == 0 && i < json_array_size(pairs); i++)
                r = print_pair(id, result, json_array_get(pairs, i), i, view, out);
        fputs("</section>\n", out);
        return error_trace(r);
}

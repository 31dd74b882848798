/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The article of a benchmark: its drawing, every figure that --format=details has, its warnings in full, its runs and its output.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/html/figure.h"
#include "ctl/show/html/markup.h"
#include "ctl/show/html/part.h"
#include "ctl/show/html/term.h"
#include "ctl/show/plots/samples.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

/* ---- figures */

static bool is_figure(const Column *column) {
        return column->fill != cell_distribution && column->fill != cell_notes && column->fill != cell_text;
}

static int print_columns(const Columns *columns, const json_t *benchmark, FILE *out) {
        for (size_t i = 1; i < columns->n; i++) {
                const Column *column = &columns->columns[i];
                _cleanup_(freep) char *text = column_text(column, benchmark);

                if (!text)
                        return error_origin(-ENOMEM);
                if (!*text || !is_figure(column))
                        continue;
                fputs("<div><dt>", out);
                term_print_bare(*column->title ? column->title : "batch", out);
                fputs("</dt><dd>", out);
                markup_text(text, out);
                fputs("</dd></div>", out);
        }
        return 0;
}

static int print_figures(const json_t *result, const json_t *benchmark, const Times *times, FILE *out) {
        Columns columns;
        int r;

        fputs("<dl class=\"figures\">", out);
        columns_choose_benchmarks(result, true, &columns);
        columns_tell(&columns, times);
        r = print_columns(&columns, benchmark, out);
        columns_choose_all(TABLE_SPREAD, &columns);
        columns_tell(&columns, times);
        if (r == 0)
                r = print_columns(&columns, benchmark, out);
        fputs("</dl>\n", out);
        return error_trace(r);
}

/* ---- text that a module, or a method, printed */

static int print_runs(const json_t *benchmark, const AmountTimeUnit *unit, FILE *out) {
        static const Column column = { .title = "", .flags = COLUMN_LEFT };
        _cleanup_(grid_freep) Grid *grid = NULL;
        FILE *text;
        int r;

        if (json_array_size(json_at(benchmark, "runs")) == 0)
                return 0;
        r = grid_new(&column, 1, &grid);
        if (r == 0)
                r = report_add_runs(grid, benchmark, unit);
        if (r)
                return error_trace(r);
        fputs("<details><summary>Each run by itself</summary><pre>", out);
        r = markup_open(out, &text);
        if (r == 0) {
                grid_print(grid, &(View){}, 0, text);
                fclose(text);
        }
        fputs("</pre></details>\n", out);
        return error_trace(r);
}

static void print_output(const json_t *benchmark, FILE *out) {
        const char *output = json_text_at(benchmark, "output");

        if (!output)
                return;
        fprintf(out, "<details%s><summary>Its output</summary><pre>", json_at(benchmark, "failed") ? " open" : "");
        markup_text(output, out);
        fputs("</pre></details>\n", out);
}

/* ---- the article */

static int print_drawing(const char *id, const json_t *benchmark, const SamplesRange *range, const View *view,
                FILE *out) {
        SamplesRange own = samples_range(view->times.unit);
        int r = 0;

        if (!range)
                r = figure_range(benchmark, &own);
        return r ? error_trace(r) : error_trace(figure_print(id, benchmark, range ? range : &own, out));
}

int part_print_benchmark(const char *id, const json_t *result, const json_t *benchmark, const SamplesRange *range,
                const View *view, FILE *out) {
        int r = 0;

        if (row_has_failed(benchmark)) {
                fprintf(out, "<p class=\"%s\">", part_failure_class(benchmark));
                markup_text(row_failure_message(benchmark), out);
                fputs("</p>\n", out);
        } else {
                r = print_drawing(id, benchmark, range, view, out);
                if (r == 0)
                        r = print_figures(result, benchmark, &view->times, out);
        }
        if (r == 0) {
                part_print_warnings(benchmark, out);
                r = print_runs(benchmark, view->times.unit, out);
        }
        print_output(benchmark, out);
        return error_trace(r);
}

static void print_line(const json_t *benchmark, const char *path, const char *class, FILE *out) {
        const char *text = json_text_at(benchmark, path);

        if (!text)
                return;
        fprintf(out, "<p class=\"%s\">", class);
        markup_text(text, out);
        fputs("</p>\n", out);
}

static int print_article(const char *id, const json_t *result, size_t index, const View *view, FILE *out) {
        const json_t *benchmark = json_array_get(result_rows(result), index);
        char own[PART_ID_MAX];
        int r;

        snprintf(own, sizeof own, "%s-%zu", id, index);
        fprintf(out, "<article id=\"%s\"><h3>", own);
        part_print_name(benchmark, out);
        fputs("</h3>\n", out);
        print_line(benchmark, "about", "about", out);
        print_line(benchmark, "label", "label", out);
        r = part_print_benchmark(own, result, benchmark, NULL, view, out);
        fputs("</article>\n", out);
        return error_trace(r);
}

int benchmarks_print(const char *id, const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = result_rows(result);
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                r = print_article(id, result, i, view, out);
        return error_trace(r);
}

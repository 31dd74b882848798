/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A script for gnuplot with its data inside, so that one file is the whole: `index` finds a data set, two empty lines part them, and lines
 * with # identify them. A benchmark over an argument is a curve with its intervals on logarithmic axes, with all others of its area
 * and argument in one figure; benchmarks without one stand below each other. A comparison is its ratios against the margin, a history
 * its times over the dates.
 *
 * Names and texts come from an untrusted module, and gnuplot executes text between backquotes: so no text may contain any.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/curves.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/plots/dates.h"
#include "ctl/show/report.h"
#include "ctl/show/show.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define METHOD_USUAL     "benchd"
#define DATA             "$benchd"
#define END              "END_OF_DATA"
#define WIDTH_PIXELS     1000u
#define CURVES_PIXELS    420u /* the height of a figure of curves */
#define ROWS_PIXELS      120u /* ... of one of rows without any, and of each of them */
#define ROW_PIXELS       26u
#define DATE_FORMAT      "%%Y-%%m-%%dT%%H:%%M:%%S"
#define DAY_S            86400
#define DATES_MOST       7 /* on an axis */
#define RATIOS_LONG      4 /* an axis of ratios whose ends are farther apart is logarithmic */
#define RATIOS_BESIDE    1.1
#define ARGUMENTS_BESIDE 1.2
#define MARGIN_LEAST     12u
#define MARGIN_MOST      50u
#define LINE_PIXELS      20u /* of a terminal that draws with characters */

typedef enum FigureKind {
        FIGURE_CURVES, /* time by an argument */
        FIGURE_ROWS,   /* a time a row */
        FIGURE_RATIOS, /* a ratio a row */
        FIGURE_DATES,  /* time by the date of the run */
} FigureKind;

/* A figure is { kind, title, x, margin, sets: [ { title, rows: [...] } ] }, its rows as long as the document lives. */

/* ---- text */

/*
 * Characters that are special to gnuplot, or would end a string in @quote, are replaced by harmless look-alikes. Doubling a quote would not
 * do: gnuplot ends the string there if it is the first character.
 */
static void print_text(const char *text, char quote, FILE *out) {
        for (; *text; text++)
                if (*text == '`' || *text == quote)
                        fputs("’", out);
                else
                        fputc(*text == '\\' ? '/' : *text, out);
}

static void print_quoted(const char *text, FILE *out) {
        fputc('\'', out);
        print_text(text ? text : "", '\'', out);
        fputc('\'', out);
}

/* ---- figures of a result */

/* The figure of @kind called @title, or a new one with @sets, of which it takes the reference. Borrowed; NULL if memory ran out. */
static json_t *figure_of(json_t *figures, FigureKind kind, const char *title, json_t *sets) {
        _cleanup_(json_decrefp) json_t *model = json_pack("{s:i, s:s, s:o}", "kind", (int)kind, "x", "", "sets", sets);

        return model ? curves_find_or_add(figures, "title", title, model) : NULL;
}

static json_t *one_set(void) {
        return json_pack("[{s:s, s:[]}]", "title", "", "rows");
}

/* Appends @row to the only set of @figure, which is NULL if memory ran out. */
static int add_row(const json_t *figure, const json_t *row) {
        json_t *set = json_array_get(json_object_get(figure, "sets"), 0);

        return json_array_append(json_object_get(set, "rows"), (json_t *)row) == 0 ? 0 : error_origin(-ENOMEM);
}

static int add_curves(json_t *figures, const json_t *result) {
        json_t *figure;
        int r;

        r = curves_add(figures, result);
        json_each(i, figure, figures) {
                if (!json_object_get(figure, "kind") &&
                                json_object_set_new(figure, "kind", json_integer(FIGURE_CURVES)) < 0)
                        r = error_origin(-ENOMEM);
        }
        return error_trace(r);
}

/* The rows that are no points of a curve; of a comparison the ratios have them. */
static int add_rows(json_t *figures, const json_t *result) {
        const json_t *rows = result_rows(result);
        int r = 0;

        for (size_t i = 0; r == 0 && !result_compares(result) && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                if (!row_has_failed(row) && json_at(row, "time_ns.point") && !curves_axis(rows, row))
                        r = add_row(figure_of(figures, FIGURE_ROWS, row_area(row), one_set()), row);
        }
        return error_trace(r);
}

static int add_ratios(json_t *figures, const json_t *result) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        const json_t *margin;
        json_t *figure = NULL;
        int r;

        r = rows_of_pairs(result, &rows);
        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);

                if (!json_at(row, "ratio.point"))
                        continue;
                figure = figure_of(figures, FIGURE_RATIOS, "comparison", one_set());
                margin = json_at(row, "margin");
                if (!figure || (margin && json_object_set(figure, "margin", (json_t *)margin) < 0) ||
                                json_object_set_new(figure, "reference", json_boolean(result_has_reference(result))) <
                                                0)
                        return error_origin(-ENOMEM);
                r = add_row(figure, row);
        }
        return error_trace(r);
}

/* Appends @run to the set of its conditions, since a line joins the runs of a set. */
static int add_run(const json_t *figure, const json_t *run) {
        const char *key = json_text_or(run, "comparability_key", ""), *measurand = json_text_or(run, "measurand", "");
        _cleanup_(json_decrefp) json_t *model = json_pack("{s:[]}", "rows");
        _cleanup_(freep) char *title = NULL;
        json_t *set;

        if (!model || asprintf(&title, "conditions %s%s%s", key, *measurand ? ", " : "", measurand) < 0) {
                title = NULL;
                return error_origin(-ENOMEM);
        }
        set = curves_find_or_add(json_object_get(figure, "sets"), "title", title, model);
        return json_array_append(json_object_get(set, "rows"), (json_t *)run) == 0 ? 0 : error_origin(-ENOMEM);
}

/* A figure for each benchmark of a history, whose runs are the latest first. */
static int add_trends(json_t *figures, const json_t *trend) {
        const json_t *rows = result_rows(trend);
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                const json_t *runs = json_at(json_array_get(rows, i), "runs");
                _cleanup_(freep) char *title = cell_make(cell_path, NULL, json_array_get(rows, i), NULL);
                json_t *figure = title ? figure_of(figures, FIGURE_DATES, title, json_array()) : NULL;

                if (!figure)
                        return error_origin(-ENOMEM);
                for (size_t j = json_array_size(runs); r == 0 && j-- > 0;)
                        r = add_run(figure, json_array_get(runs, j));
        }
        return error_trace(r);
}

/* ---- data */

/* A value and its interval; an older method has none: its mean, and one standard deviation to either side. */
static RowEstimate interval_of(FigureKind kind, const json_t *row) {
        const RowEstimate value = kind == FIGURE_RATIOS ? row_ratio(row) : row_time(row);
        const double mean = json_number_or(row, "time_ns.raw.mean", value.point);
        const double stddev = json_number_or(row, "time_ns.raw.stddev", 0);

        if (isfinite(value.low) && isfinite(value.high))
                return value;
        if (strncmp(json_text_or(row, "method", METHOD_USUAL), METHOD_USUAL, strlen(METHOD_USUAL)) == 0)
                return (RowEstimate){ value.point, value.point, value.point };
        return (RowEstimate){ mean, mean - stddev, mean + stddev };
}

static double x_of(const json_t *figure, const json_t *row) {
        return curves_x(row, json_text_at(figure, "x"));
}

static char *name_of(FigureKind kind, const json_t *row) {
        return cell_make(kind == FIGURE_RATIOS ? cell_path : cell_sided_name, NULL, row, NULL);
}

static void print_row(const json_t *figure, FigureKind kind, size_t index, const json_t *row, FILE *out) {
        _cleanup_(freep) char *name = name_of(kind, row);
        const char *started = json_text_at(row, "started_at"), *verdict = json_text_at(row, "verdict");
        const RowEstimate value = interval_of(kind, row);

        if (kind == FIGURE_CURVES)
                fprintf(out, JSON_NUMBER " ", x_of(figure, row));
        else if (kind == FIGURE_DATES)
                fprintf(out, "%s ", started ? started : "?");
        else
                fprintf(out, "%zu ", index);
        fprintf(out, JSON_NUMBER " " JSON_NUMBER " " JSON_NUMBER, value.point, value.low, value.high);
        if (kind == FIGURE_ROWS || kind == FIGURE_RATIOS) {
                fputs(" \"", out);
                print_text(name ? name : "?", '"', out);
                fputs("\"", out);
        }
        if (kind == FIGURE_RATIOS)
                fprintf(out, " %s", verdict ? verdict : "?");
        fputc('\n', out);
}

static void print_set(const json_t *figure, const json_t *set, size_t index, FILE *out) {
        static const char *const columns[] = {
                [FIGURE_CURVES] = "time_ns, low_ns, high_ns",
                [FIGURE_ROWS] = "time_ns, low_ns, high_ns, name",
                [FIGURE_RATIOS] = "ratio, low, high, name, verdict",
                [FIGURE_DATES] = "time_ns, low_ns, high_ns",
        };
        const FigureKind kind = (FigureKind)json_integer_value(json_object_get(figure, "kind"));
        const json_t *rows = json_object_get(set, "rows");
        const char *title = json_text_at(set, "title"), *x = json_text_at(figure, "x");

        fprintf(out, "%s# index %zu: ", index > 0 ? "\n\n" : "", index);
        print_text(json_string_value(json_object_get(figure, "title")), '\0', out);
        if (title && *title) {
                fputs(": ", out);
                print_text(title, '\0', out);
        }
        fputs("\n# ", out);
        print_text(kind == FIGURE_CURVES && x ? x : kind == FIGURE_DATES ? "started" : "row", '\0', out);
        fprintf(out, ", %s\n", columns[kind]);
        for (size_t i = 0; i < json_array_size(rows); i++)
                print_row(figure, kind, i, json_array_get(rows, i), out);
}

static void print_data(const json_t *figures, FILE *out) {
        size_t index = 0;
        const json_t *figure;

        fputs("\n" DATA " << " END "\n", out);
        json_each(i, figure, figures) {
                const json_t *sets = json_object_get(figure, "sets");

                for (size_t k = 0; k < json_array_size(sets); k++)
                        print_set(figure, json_array_get(sets, k), index++, out);
        }
        fputs(END "\n\n", out);
}

/* ---- the script */

/* True if a logarithmic axis has room for all values of @figure: of its argument or of its times. */
static bool is_positive(const json_t *figure, bool of_argument) {
        const json_t *sets = json_object_get(figure, "sets");
        const json_t *row;

        for (size_t i = 0; i < json_array_size(sets); i++) {
                const json_t *rows = json_object_get(json_array_get(sets, i), "rows");

                json_each(k, row, rows) {
                        const double value =
                                        of_argument ? x_of(figure, row) : json_number_or(row, "time_ns.point", NAN);

                        if (!(value > 0))
                                return false;
                }
        }
        return true;
}

static size_t rows_of(const json_t *figure) {
        return json_array_size(json_object_get(json_array_get(json_object_get(figure, "sets"), 0), "rows"));
}

static size_t height_of(const json_t *figure) {
        const FigureKind kind = (FigureKind)json_integer_value(json_object_get(figure, "kind"));

        return kind == FIGURE_ROWS || kind == FIGURE_RATIOS ? ROWS_PIXELS + ROW_PIXELS * rows_of(figure)
                                                            : CURVES_PIXELS;
}

/* The columns on the left of the terminal for the names of rows; the longest may be cut. */
static size_t margin_of(const json_t *figures) {
        size_t margin = MARGIN_LEAST;
        const json_t *figure;

        json_each(i, figure, figures) {
                const FigureKind kind = (FigureKind)json_integer_value(json_object_get(figure, "kind"));
                const json_t *rows = json_object_get(json_array_get(json_object_get(figure, "sets"), 0), "rows");

                for (size_t k = 0; (kind == FIGURE_ROWS || kind == FIGURE_RATIOS) && k < json_array_size(rows); k++) {
                        _cleanup_(freep) char *name = name_of(kind, json_array_get(rows, k));
                        const size_t n = name ? strlen(name) + 2 : 0;

                        margin = n > margin ? n : margin;
                }
        }
        return margin < MARGIN_MOST ? margin : MARGIN_MOST;
}

static size_t height_of_all(const json_t *figures) {
        size_t height = 0;

        for (size_t i = 0; i < json_array_size(figures); i++)
                height += height_of(json_array_get(figures, i));
        return height;
}

/* Only the bound of an interval that a logarithmic axis shows. */
#define LOW_SHOWN "($3 > 0 ? $3 : $2)"

/* gnuplot's own range of a logarithmic axis is of whole decades. */
static void print_range_of_arguments(const json_t *figure, FILE *out) {
        const json_t *sets = json_object_get(figure, "sets"), *set, *row;
        double low = INFINITY, high = 0;

        json_each(i, set, sets) {
                json_each(k, row, json_object_get(set, "rows")) {
                        low = fmin(low, x_of(figure, row));
                        high = fmax(high, x_of(figure, row));
                }
        }
        fprintf(out, "set xrange [" JSON_NUMBER ":" JSON_NUMBER "]\n", low / ARGUMENTS_BESIDE, high * ARGUMENTS_BESIDE);
}

static void plot_curves(const json_t *figure, size_t first, FILE *out) {
        const json_t *sets = json_object_get(figure, "sets");
        static const int point_types[] = { 7, 6, 5, 4, 9, 8 }; /* disc, circle, square, ... */
        const bool log_x = is_positive(figure, true), log_y = is_positive(figure, false);

        if (log_x || log_y)
                fprintf(out, "set logscale %s%s\n", log_x ? "x" : "", log_y ? "y" : "");
        if (log_x)
                print_range_of_arguments(figure, out);
        fputs("set xlabel ", out);
        print_quoted(json_text_at(figure, "x"), out);
        fputs("\nset ylabel 'ns an operation'\nset key left top\nplot", out);
        for (size_t i = 0; i < json_array_size(sets); i++) {
                fprintf(out, "%s " DATA " index %zu using 1:2:%s:4 with errorlines pointtype %d pointsize 0.8 title ",
                                i > 0 ? ", \\\n    " : "", first + i, log_y ? LOW_SHOWN : "3",
                                point_types[i % N_ELEMENTS(point_types)]);
                print_quoted(json_text_at(json_array_get(sets, i), "title"), out);
        }
        fputc('\n', out);
}

static void plot_rows(const json_t *figure, size_t first, FILE *out) {
        const bool log = is_positive(figure, false);

        fprintf(out, "%sset yrange [%zu.5:-0.5]\nset xlabel 'ns an operation'\n", log ? "set logscale x\n" : "",
                        rows_of(figure) - 1);
        fprintf(out, "plot " DATA " index %zu using 2:1:%s:4:ytic(5) with xerrorbars pointtype 7 notitle\n", first,
                        log ? LOW_SHOWN : "3");
}

/* The axis has all intervals, 1 and the margin; it is logarithmic if it is long. */
static void print_range_of_ratios(const json_t *figure, double margin, FILE *out) {
        const json_t *rows = json_object_get(json_array_get(json_object_get(figure, "sets"), 0), "rows"), *row;
        double low = 1 - margin, high = 1 + margin;

        json_each(i, row, rows) {
                const RowEstimate ratio = interval_of(FIGURE_RATIOS, row);

                low = fmin(low, ratio.low > 0 ? ratio.low : ratio.point);
                high = fmax(high, ratio.high);
        }
        if (low > 0 && high > RATIOS_LONG * low)
                fprintf(out, "set logscale x 2\nset xrange [" JSON_NUMBER ":" JSON_NUMBER "]\n", low / RATIOS_BESIDE,
                                high * RATIOS_BESIDE);
        else
                fprintf(out, "set xrange [" JSON_NUMBER ":" JSON_NUMBER "]\n", low - (high - low) / 10,
                                high + (high - low) / 10);
}

/* A ratio within the dashed lines is the same. */
static void plot_ratios(const json_t *figure, size_t first, FILE *out) {
        const double margin = json_number_or(figure, "margin", 0.01);
        const double lines[] = { 1, 1 - margin, 1 + margin };

        print_range_of_ratios(figure, margin, out);
        for (size_t i = 0; i < N_ELEMENTS(lines); i++)
                if (lines[i] > 0)
                        fprintf(out,
                                        "set arrow from " JSON_NUMBER ", graph 0 to " JSON_NUMBER
                                        ", graph 1 nohead dashtype %d\n",
                                        lines[i], lines[i], i == 0 ? 1 : 2);
        fprintf(out, "set yrange [%zu.5:-0.5]\nset xlabel '%s (dashed: the margin)'\n", rows_of(figure) - 1,
                        json_is_true(json_object_get(figure, "reference")) ? "× reference" : "new / old");
        fprintf(out, "plot " DATA " index %zu using 2:1:3:4:ytic(5) with xerrorbars pointtype 7 notitle\n", first);
}

/* The first and the last date of the runs of @figure, in seconds since 1970; one run is in the middle of its day. */
static void find_dates(const json_t *figure, double *ret_first, double *ret_last) {
        const json_t *sets = json_object_get(figure, "sets"), *set, *run;
        double first = INFINITY, last = -INFINITY;

        json_each(i, set, sets) {
                json_each(k, run, json_object_get(set, "rows")) {
                        first = fmin(first, instant_seconds(json_text_at(run, "started_at")));
                        last = fmax(last, instant_seconds(json_text_at(run, "started_at")));
                }
        }
        *ret_first = first < last ? first : first - 43200;
        *ret_last = first < last ? last : last + 43200;
}

/* So few dates that none overprints the next, as long as their steps need. Runs of unlike conditions are not joined. */
static void plot_dates(const json_t *figure, size_t first_index, FILE *out) {
        const json_t *sets = json_object_get(figure, "sets");
        const size_t n = json_array_size(sets);
        double first, last, step_s;

        find_dates(figure, &first, &last);
        step_s = dates_step_s((last - first) / DATES_MOST);
        fprintf(out,
                        "set xdata time\nset timefmt '" DATE_FORMAT "'\nset format x '%s'\nset xlabel 'UTC'\n"
                        "set ylabel 'ns an operation'\n",
                        step_s >= DAY_S ? "%Y-%m-%d"
                        : step_s >= 60  ? "%m-%d %H:%M"
                                        : "%H:%M:%S");
        if (isfinite(first) && isfinite(last))
                fprintf(out, "set xtics %.0f\nset xrange [%.0f:%.0f]\n", step_s, first - (last - first) / 20 - 1,
                                last + (last - first) / 20 + 1);
        fputs(n > 1 ? "set key above\nplot" : "plot", out);
        for (size_t i = 0; i < n; i++) {
                fprintf(out, "%s " DATA " index %zu using 1:2:3:4 with errorlines pointtype 7 pointsize 0.5 ",
                                i > 0 ? ", \\\n    " : "", first_index + i);
                fputs(n > 1 ? "title " : "notitle", out);
                if (n > 1)
                        print_quoted(json_text_at(json_array_get(sets, i), "title"), out);
        }
        fputc('\n', out);
}

static void print_figures(const json_t *figures, FILE *out) {
        static void (*const plots[])(const json_t *figure, size_t first, FILE *out) = {
                [FIGURE_CURVES] = plot_curves,
                [FIGURE_ROWS] = plot_rows,
                [FIGURE_RATIOS] = plot_ratios,
                [FIGURE_DATES] = plot_dates,
        };
        const double all = (double)height_of_all(figures);
        const size_t margin = margin_of(figures);
        size_t first = 0, below = height_of_all(figures);

        fprintf(out, "set multiplot\nset lmargin %zu\nset rmargin 4\n", margin);
        for (size_t i = 0; i < json_array_size(figures); i++) {
                const json_t *figure = json_array_get(figures, i);
                const size_t height = height_of(figure);

                below -= height;
                fprintf(out, "\nset size 1, %.6f\nset origin 0, %.6f\nset title ", height / all, below / all);
                print_quoted(json_string_value(json_object_get(figure, "title")), out);
                fputc('\n', out);
                fputs("unset key\n", out);
                plots[json_integer_value(json_object_get(figure, "kind"))](figure, first, out);
                fputs("unset logscale\nunset arrow\nunset xlabel\nunset ylabel\nset autoscale\nset xtics autofreq\nset ytics autofreq\n",
                                out);
                first += json_array_size(json_object_get(figure, "sets"));
        }
        fputs("\nunset multiplot\n", out);
}

/*
 * Without a picture's name it draws in the window or, where there is none, in the terminal; with a suffix alone (".svg") it prints the picture.
 */
static void print_terminal(const json_t *figures, FILE *out) {
        const size_t height = height_of_all(figures);

        fprintf(out,
                        "if (!exists('picture')) picture = ''\n"
                        "if (picture eq '' && GPVAL_TERM eq 'unknown') set terminal dumb size 100, %zu\n"
                        "if (strstrt(picture, '.svg') > 0) set terminal svg size %u, %zu background 'white'\n"
                        "if (strstrt(picture, '.png') > 0) set terminal pngcairo size %u, %zu\n"
                        "if (strstrt(picture, '.pdf') > 0) set terminal pdfcairo size %.2f, %.2f\n"
                        "if (strstrt(picture, '.eps') + strstrt(picture, '.ps') > 0) set terminal epscairo size %.2f, %.2f\n"
                        "if (strlen(picture) > (strstrt(picture, '.ps') > 0 ? 3 : 4)) set output picture\n"
                        "set encoding utf8\nset termoption noenhanced\n\n",
                        height / LINE_PIXELS, WIDTH_PIXELS, height, WIDTH_PIXELS, height, WIDTH_PIXELS / 100.,
                        height / 100., WIDTH_PIXELS / 100., height / 100.);
}

/* ---- the whole */

/* Platform, module, job and verdict of each result, after #. */
static int print_identification(const json_t *results, FILE *out) {
        const View view = {};
        int r = 0;

        fputs("# Draw it by gnuplot; as a file: gnuplot -e \"picture='FILE.svg'\" SCRIPT (or .png, .pdf, .eps).\n",
                        out);
        for (size_t i = 0; r == 0 && i < json_array_size(results); i++) {
                _cleanup_(text_stream_clear) TextStream text = {};
                const json_t *result = json_array_get(results, i);
                FILE *stream;

                if (!json_at(result, "verdict")) /* a history is of many */
                        continue;
                stream = text_stream_open(&text);
                r = report_result_head(result, &view, stream);
                fputs("# ", stream);
                if (r == 0)
                        r = report_result_verdict(result, &view, stream);
                if (r == 0)
                        r = text_stream_close(&text);
                for (char *rest = text.text, *line; r == 0 && (line = strsep(&rest, "\n"));)
                        if (*line) {
                                print_text(line, '\0', out);
                                fputc('\n', out);
                        }
        }
        return error_trace(r);
}

int show_gnuplot(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *figures = json_array();
        int r = figures ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(answers); i++) {
                const json_t *answer = json_array_get(answers, i);

                r = kind == SHOW_TREND ? add_trends(figures, answer) : add_ratios(figures, answer);
                if (r == 0 && kind == SHOW_RESULT)
                        r = add_curves(figures, answer);
                if (r == 0 && kind == SHOW_RESULT)
                        r = add_rows(figures, answer);
        }
        if (r == 0)
                r = print_identification(answers, out);
        if (r || json_array_size(figures) == 0) {
                fputs(r ? "" : "print 'No benchmark has a time.'\n", out);
                return error_trace(r);
        }
        print_data(figures, out);
        print_terminal(figures, out);
        print_figures(figures, out);
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Times of benchmarks over earlier runs: the drift as a line from run to run, the earliest on the left, each with its interval, and the
 * table of benchctl's history, the latest first.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/html/plot.h"
#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/time-unit.h"
#include "ctl/trend.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HEIGHT     220.0
#define FOOT       26.0
#define HEAD       16.0
#define JOB_DIGITS 8
#define DATES_MAX  6u
#define TICK_GAP   28u

/* ---- drawing */

/* Runs are at equal distances: what lies between two of them is a change of the code, not the time. */
static double run_place(const json_t *runs, size_t index) {
        const size_t n = json_array_size(runs);

        return PLOT_WIDTH * ((double)(n - 1 - index) + 0.5) / (double)n;
}

static bool trend_axis(const json_t *runs, PlotAxis *ret_axis) {
        static const char *const paths[] = { "time_ns.point", "time_ns.low", "time_ns.high" };
        PlotAxis axis = { .low = INFINITY, .high = -INFINITY, .from = HEIGHT - FOOT, .to = HEAD };
        double ns;

        for (size_t i = 0; i < json_array_size(runs) * N_ELEMENTS(paths); i++)
                if (json_number_at(json_array_get(runs, i / N_ELEMENTS(paths)), paths[i % N_ELEMENTS(paths)], &ns)) {
                        axis.low = fmin(axis.low, ns);
                        axis.high = fmax(axis.high, ns);
                }
        if (!(axis.high >= axis.low))
                return false;
        axis.unit = time_unit_of(json_array_get(runs, 0));
        plot_axis_widen(&axis, axis.high > axis.low ? 0.12 : 0.01);
        *ret_axis = axis;
        return true;
}

static void print_axis(const PlotAxis *axis, FILE *out) {
        AxisTicks ticks;

        plot_ticks(axis, axis_tick_times, TICK_GAP, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const double y = plot_place(axis, ticks.ticks[i].value);

                fprintf(out, "<line class=\"grid\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"y\" y=\"%.1f\">%s</text>",
                                y, y, y - 3, ticks.ticks[i].text);
        }
}

static void print_dates(const json_t *runs, FILE *out) {
        const size_t n = json_array_size(runs), every = (n + DATES_MAX - 1) / DATES_MAX;
        char date[INSTANT_TEXT_MAX];

        for (size_t i = 0; i < n; i += every) {
                const char *started = json_text_at(json_array_get(runs, i), "started_at");

                if (started && instant_local(started, "%m-%d %H:%M", date))
                        fprintf(out, "<text class=\"x\" x=\"%.2f%%\" y=\"%g\">%s</text>",
                                        run_place(runs, i) / PLOT_WIDTH * 100, HEIGHT - 8, date);
        }
}

static const char *run_class(const json_t *run) {
        const char *change = json_text_at(run, "change"), *verdict = json_text_at(run, "verdict");

        if (verdict && strcmp(verdict, "unfit") == 0)
                return "median unfit";
        if (change && strcmp(change, "slower") == 0)
                return "median slower";
        return change && strcmp(change, "faster") == 0 ? "median faster" : "median";
}

static void print_marks(const json_t *runs, const PlotAxis *axis, FILE *out) {
        PlotPath line = { .out = out, .class = "drift" }, whisker = { .out = out, .class = "whisker" };
        double ns, low, high;

        for (size_t i = json_array_size(runs); i-- > 0;)
                if (json_number_at(json_array_get(runs, i), "time_ns.point", &ns))
                        plot_path_line(&line, run_place(runs, i), plot_place(axis, ns));
        plot_path_end(&line);
        for (size_t i = 0; i < json_array_size(runs); i++)
                if (json_number_at(json_array_get(runs, i), "time_ns.low", &low) &&
                                json_number_at(json_array_get(runs, i), "time_ns.high", &high)) {
                        const double top = plot_place(axis, high);

                        plot_path_dot(&whisker, run_place(runs, i), top, round(plot_place(axis, low)) - round(top));
                }
        plot_path_end(&whisker);
        for (size_t i = 0; i < json_array_size(runs); i++) {
                const json_t *run = json_array_get(runs, i);
                PlotPath ring = { .out = out, .class = "ring" }, dot = { .out = out, .class = run_class(run) };

                if (!json_number_at(run, "time_ns.point", &ns))
                        continue;
                plot_path_dot(&ring, run_place(runs, i), plot_place(axis, ns), 0);
                plot_path_end(&ring);
                plot_path_dot(&dot, run_place(runs, i), plot_place(axis, ns), 0);
                plot_path_end(&dot);
        }
}

static void print_drawing(const char *id, const json_t *runs, FILE *out) {
        char description[128];
        PlotAxis axis;

        if (!trend_axis(runs, &axis))
                return;
        snprintf(description, sizeof description,
                        "%zu runs, the earliest on the left, each a dot with its interval. The table has the figures.",
                        json_array_size(runs));
        fputs("<figure>", out);
        plot_begin(id, "trend", HEIGHT, "Time from run to run", description, out);
        plot_panel_begin("whole", 0, 100, HEIGHT, out);
        print_axis(&axis, out);
        plot_field_begin(HEIGHT, out);
        print_marks(runs, &axis, out);
        plot_field_end(out);
        print_dates(runs, out);
        plot_panel_end(out);
        plot_end(out);
        fputs("</figure>\n", out);
}

/* ---- the table */

static void print_run(const json_t *run, FILE *out) {
        const char *job = json_text_at(run, "run_id"), *started = json_text_at(run, "started_at");
        const char *change = json_text_at(run, "change");
        char date[INSTANT_TEXT_MAX] = "", text[UNIT_TEXT_MAX];
        double point, low, high;

        fputs("<tr class=\"row\"><th scope=\"row\">", out);
        markup_format(out, "%.*s", JOB_DIGITS, job ? job : "?");
        if (started)
                instant_local(started, "%Y-%m-%d %H:%M:%S", date);
        fprintf(out, "</th><td>%s</td>", date);
        if (json_number_at(run, "time_ns.point", &point))
                fprintf(out, "<td class=\"number head\" data-v=\"%.9g\">%s</td>", point,
                                unit_time_in(time_unit_of(run), point, text));
        else
                fputs("<td class=\"number\">–</td>", out);
        if (json_number_at(run, "time_ns.low", &low) && json_number_at(run, "time_ns.high", &high))
                fprintf(out, "<td class=\"number\">%s</td>", unit_time_range_in(time_unit_of(run), low, high, text));
        else
                fputs("<td class=\"number\">–</td>", out);
        fputs("<td class=\"verdict ", out);
        markup_text(change, out);
        fputs("\">", out);
        markup_text(change, out);
        fputs("</td><td><bdi>", out);
        markup_text(json_text_at(run, "module_name"), out);
        fprintf(out, "</bdi></td><td>%s</td></tr>\n", trend_note(run));
}

static void print_drift(const json_t *row, FILE *out) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        bool told;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return;
        told = trend_print_drift(row, stream);
        if (fclose(stream) != 0 || !told)
                return;
        fputs("<p>", out);
        markup_text(text, out);
        fputs("</p>\n", out);
}

static void print_row(const json_t *row, size_t index, FILE *out) {
        static const char *const titles[] = { "job", "started", "time", "95 % interval", "change", "module", "note" };
        const json_t *runs = json_at(row, "runs");
        char id[PART_ID_MAX];

        snprintf(id, sizeof id, "t-%zu", index);
        fputs("<article><h3>", out);
        part_print_name(row, true, out);
        fputs("</h3>\n", out);
        print_drawing(id, runs, out);
        print_drift(row, out);
        fputs("<div class=\"scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>",
                        out);
        for (size_t i = 0; i < N_ELEMENTS(titles); i++)
                fprintf(out, "<th scope=\"col\"%s>%s</th>", i == 2 || i == 3 ? " class=\"number\"" : "", titles[i]);
        fputs("</tr></thead><tbody>", out);
        for (size_t i = 0; i < json_array_size(runs); i++)
                print_run(json_array_get(runs, i), out);
        fputs("</tbody></table></div></article>\n", out);
}

int trend_print(const json_t *trend, FILE *out) {
        const json_t *rows = json_at(trend, "benchmarks");

        for (size_t i = 0; i < json_array_size(rows); i++)
                print_row(json_array_get(rows, i), i, out);
        return 0;
}

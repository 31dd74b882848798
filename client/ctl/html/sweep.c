/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A sweep: the times of a benchmark by the size of its argument, on logarithmic axes, with the growth that was fitted. Text stands at
 * percentages beside a field that stretches, as in plot.h.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "ctl/html/markup.h"
#include "ctl/html/part.h"
#include "ctl/html/plot.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/time-unit.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define HEIGHT     260.0
#define FOOT       26.0
#define HEAD       16.0
#define FIT_STEPS  48u
#define TICK_GAP_X 110u
#define TICK_GAP_Y 28u

typedef struct Sweep {
        const json_t *fit;        /* of complexity[] */
        const json_t *benchmarks; /* of the result */
        const json_t *like;       /* a row of it */
        double unit_ns;
        PlotAxis x, y;
} Sweep;

/* ---- points */

/* Reads size and time of @row; false if it has none that a logarithmic axis can show. */
static bool point_of(const Sweep *sweep, const json_t *row, const char *path, double *ret_n, double *ret_ns) {
        const json_t *size = json_object_get(json_at(row, "args"), json_text_at(sweep->fit, "arg"));

        if (!report_sweep_is_same(sweep->fit, row) || !json_is_number(size) || !json_number_at(row, path, ret_ns))
                return false;
        *ret_n = json_number_value(size);
        *ret_ns *= sweep->unit_ns;
        return *ret_n > 0 && *ret_ns > 0;
}

static size_t sweep_measure(Sweep *sweep) {
        static const char *const paths[] = { "time_ns.point", "time_ns.low", "time_ns.high" };
        double n, ns;
        size_t count = 0;

        sweep->x = (PlotAxis){ .low = INFINITY, .to = PLOT_WIDTH, .log = true };
        sweep->y = (PlotAxis){ .low = INFINITY,
                .from = HEIGHT - FOOT,
                .to = HEAD,
                .log = true,
                .unit = time_unit_of(sweep->fit) };
        for (size_t i = 0; i < json_array_size(sweep->benchmarks) * N_ELEMENTS(paths); i++) {
                const json_t *row = json_array_get(sweep->benchmarks, i / N_ELEMENTS(paths));

                if (!point_of(sweep, row, paths[i % N_ELEMENTS(paths)], &n, &ns))
                        continue;
                count += i % N_ELEMENTS(paths) == 0;
                sweep->x.low = fmin(sweep->x.low, n);
                sweep->x.high = fmax(sweep->x.high, n);
                sweep->y.low = fmin(sweep->y.low, ns);
                sweep->y.high = fmax(sweep->y.high, ns);
        }
        if (!(sweep->x.high > sweep->x.low))
                return 0;
        sweep->x.low /= pow(sweep->x.high / sweep->x.low, 0.04);
        sweep->x.high *= pow(sweep->x.high / sweep->x.low, 0.04);
        sweep->y.low /= 1.3;
        sweep->y.high *= 1.3;
        return count;
}

/* ---- drawing */

static void print_axes(const Sweep *sweep, FILE *out) {
        AxisTicks ticks;

        plot_ticks(&sweep->y, axis_tick_log_times, TICK_GAP_Y, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const double y = plot_place(&sweep->y, ticks.ticks[i].value);

                fprintf(out, "<line class=\"grid\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text class=\"y\" y=\"%.1f\">%s</text>",
                                y, y, y - 3, ticks.ticks[i].text);
        }
        plot_ticks(&sweep->x, axis_tick_log_numbers, TICK_GAP_X, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const double x = plot_place(&sweep->x, ticks.ticks[i].value) / PLOT_WIDTH * 100;

                fprintf(out,
                                "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%g\" y2=\"%g\"/>"
                                "<text class=\"x\" x=\"%.2f%%\" y=\"%g\">%s</text>",
                                x, x, HEAD, HEIGHT - FOOT, x, HEIGHT - 8, ticks.ticks[i].text);
        }
}

static void print_fit(const Sweep *sweep, FILE *out) {
        PlotPath path = { .out = out, .class = "fit" };

        for (size_t i = 0; i <= FIT_STEPS; i++) {
                const double share = (double)i / FIT_STEPS;
                const double ns = report_sweep_time_ns(sweep->fit,
                                sweep->x.low * pow(sweep->x.high / sweep->x.low, share));
                const double y = ns > 0 ? plot_place(&sweep->y, ns) : NAN;

                if (y >= HEAD && y <= HEIGHT - FOOT)
                        plot_path_line(&path, share * PLOT_WIDTH, y);
        }
        plot_path_end(&path);
}

/* Strokes from the lower to the upper end of each interval, and dots in two sizes. */
static void print_points(const Sweep *sweep, FILE *out) {
        static const char *const classes[] = { "ring", "median" };
        PlotPath whisker = { .out = out, .class = "whisker" };
        double n, ns, high;

        for (size_t i = 0; i < json_array_size(sweep->benchmarks); i++) {
                const json_t *row = json_array_get(sweep->benchmarks, i);

                if (point_of(sweep, row, "time_ns.low", &n, &ns) && point_of(sweep, row, "time_ns.high", &n, &high)) {
                        const double top = plot_place(&sweep->y, high);

                        plot_path_dot(&whisker, plot_place(&sweep->x, n), top,
                                        round(plot_place(&sweep->y, ns)) - round(top));
                }
        }
        plot_path_end(&whisker);
        for (size_t k = 0; k < N_ELEMENTS(classes); k++) {
                PlotPath path = { .out = out, .class = classes[k] };

                for (size_t i = 0; i < json_array_size(sweep->benchmarks); i++)
                        if (point_of(sweep, json_array_get(sweep->benchmarks, i), "time_ns.point", &n, &ns))
                                plot_path_dot(&path, plot_place(&sweep->x, n), plot_place(&sweep->y, ns), 0);
                plot_path_end(&path);
        }
}

static int print_drawing(const char *id, const Sweep *sweep, size_t count, FILE *out) {
        char own[PART_ID_MAX + 8], description[160];

        snprintf(own, sizeof own, "%s-n", id);
        snprintf(description, sizeof description,
                        "%zu sizes on logarithmic axes, each a dot with its interval; the line is the fit. The table has the figures.",
                        count);
        plot_begin(own, "sweep", HEIGHT, "Time by size", description, out);
        plot_panel_begin("whole", 0, 99, HEIGHT, out);
        print_axes(sweep, out);
        plot_field_begin(HEIGHT, out);
        print_fit(sweep, out);
        print_points(sweep, out);
        plot_field_end(out);
        plot_panel_end(out);
        plot_end(out);
        return 0;
}

static int print_caption(const Sweep *sweep, FILE *out) {
        FILE *text;
        int r;

        fputs("<figcaption>", out);
        r = markup_open(out, &text);
        if (r == 0) {
                report_print_sweep(sweep->fit, text);
                fclose(text);
        }
        fputs("</figcaption></figure>", out);
        return error_trace(r);
}

int sweep_print(const char *id, const json_t *result, size_t index, FILE *out) {
        const json_t *fit = report_sweep_ending(result, index);
        Sweep sweep = {
                .fit = fit,
                .benchmarks = json_at(result, "benchmarks"),
                .unit_ns = part_unit_ns(result),
        };
        size_t count;
        int r;

        if (!fit || !json_text_at(fit, "arg"))
                return 0;
        count = sweep_measure(&sweep);
        if (count < 2)
                return 0;
        fprintf(out, "<article class=\"growth\"><h3>Growth of <bdi>");
        markup_format(out, "%s/%s", json_text_at(fit, "area") ? json_text_at(fit, "area") : "",
                        json_text_at(fit, "name") ? json_text_at(fit, "name") : "");
        fputs("</bdi> with <bdi>", out);
        markup_text(json_text_at(fit, "arg"), out);
        fputs("</bdi></h3><figure>", out);
        r = print_drawing(id, &sweep, count, out);
        if (r == 0)
                r = print_caption(&sweep, out);
        fputs("</article>\n", out);
        return error_trace(r);
}

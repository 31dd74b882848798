/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The distribution of a benchmark: the largest class of its samples, mostly the quiet ones, as high bars; the others on the same axis, each
 * to its own height, since they are few; the modes; the medians of the processes; and the interval.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/plot.h"
#include "ctl/time-unit.h"
#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define BARS_LINES 5 /* of the largest class */
#define BARS_SAMPLES                                                                                                   \
 5 /* for each place, on average: with fewer of them several places have one bar, or each would tell of chance */
#define BARS_WIDEST 4 /* places */

DEFINE_CLEANUP(Canvas *, canvas_free)

typedef struct Distribution {
        const json_t *benchmark;
        const PlotSamples *samples;
        const Axis *axis;
        Canvas *canvas;
        double *heights; /* a bar for each place */
        long y;          /* the next line */
} Distribution;

static const long first_place = PLOT_LABELS + 1;

/* ---- bars */

static double most_of(const double *heights, size_t n) {
        double most = 0;

        for (size_t i = 0; i < n; i++)
                most = fmax(most, heights[i]);
        return most;
}

/* Bars of as many lines, the highest filling all of them. */
static void draw_bars(Distribution *to, const char *word, double count, size_t n_lines, GridStyle style) {
        const double most = most_of(to->heights, to->axis->n_places);

        for (size_t line = 0; line < n_lines; line++)
                canvas_put(to->canvas, PLOT_LABELS, to->y + (long)line, GRID_DIM, "│");
        plot_draw_label(to->canvas, to->y, word, count);
        for (size_t place = 0; place < to->axis->n_places && most > 0; place++) {
                const double height = to->heights[place] / most * (double)n_lines;

                for (size_t line = 0; line < n_lines; line++)
                        canvas_put(to->canvas, first_place + (long)place, to->y + (long)line, style,
                                        plot_bar(height - (double)(n_lines - 1 - line)));
        }
        to->y += (long)n_lines;
}

/* Gives @n_wide places at a time the sum of their heights. */
static void join_heights(Distribution *to, size_t n_wide) {
        for (size_t first = 0; n_wide > 1 && first < to->axis->n_places; first += n_wide) {
                const size_t left = to->axis->n_places - first, n = left < n_wide ? left : n_wide;
                double sum = 0;

                for (size_t i = 0; i < n; i++)
                        sum += to->heights[first + i];
                for (size_t i = 0; i < n; i++)
                        to->heights[first + i] = sum * (double)n_wide / (double)n;
        }
}

static void draw_class(Distribution *to, MarkClass class, size_t n_lines) {
        const PlotClass *of = plot_class(class);
        const size_t wanted = BARS_SAMPLES * to->axis->n_places / to->samples->n_of_class[class] + 1;
        const long last_line = to->y + (long)n_lines - 1;
        bool below = false, above = false;
        char word[32];

        memset(to->heights, 0, to->axis->n_places * sizeof *to->heights);
        for (size_t i = 0; i < to->samples->n; i++) {
                const PlotSample *sample = &to->samples->samples[i];
                const long place = axis_place(to->axis, sample->time_ns);

                if (sample->class != class)
                        continue;
                below |= place < 0;
                above |= place >= (long)to->axis->n_places;
                if (place >= 0 && (size_t)place < to->axis->n_places)
                        to->heights[place]++;
        }
        if (n_lines > 1)
                join_heights(to, wanted < BARS_WIDEST ? wanted : BARS_WIDEST);
        snprintf(word, sizeof word, "%s %s", of->word, of->glyph);
        draw_bars(to, word, (double)to->samples->n_of_class[class], n_lines, of->style);
        if (below)
                canvas_put(to->canvas, first_place, last_line, of->style, "◂");
        if (above)
                canvas_put(to->canvas, first_place + (long)to->axis->n_places - 1, last_line, of->style, "▸");
}

/* The largest class has the high bars. */
static void draw_classes(Distribution *to) {
        const size_t *n = to->samples->n_of_class;
        MarkClass largest = MARK_CLASS_QUIET;

        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++)
                if (n[class] > n[largest])
                        largest = class;
        for (MarkClass class = 0; class < _MARK_CLASS_N; class ++)
                if (n[class] > 0)
                        draw_class(to, class, class == largest ? BARS_LINES : 1);
}

/* A bin of the result's histogram is as wide as several places. */
static void draw_histogram(Distribution *to) {
        const json_t *counts = json_at(to->benchmark, "time_ns.histogram.counts");
        const size_t n = json_array_size(counts);
        double low = 0, high = 0, sum = 0, below = 0, above = 0;

        (void)json_number_at(to->benchmark, "time_ns.histogram.low", &low);
        (void)json_number_at(to->benchmark, "time_ns.histogram.high", &high);
        (void)json_number_at(to->benchmark, "time_ns.histogram.below", &below);
        (void)json_number_at(to->benchmark, "time_ns.histogram.above", &above);
        for (size_t i = 0; i < n; i++)
                sum += json_number_value(json_array_get(counts, i));
        for (size_t place = 0; place < to->axis->n_places; place++) {
                const double value = axis_value(to->axis, (double)place);
                const double bin = high > low ? (value - low) / (high - low) * (double)n : 0;

                to->heights[place] = bin >= 0 && bin < (double)n
                                                     ? json_number_value(json_array_get(counts, (size_t)bin))
                                                     : 0;
        }
        draw_bars(to, "samples", sum + below + above, BARS_LINES, GRID_GOOD);
}

/* ---- lines */

/* A digit stands for several at one place. */
static void draw_medians(Distribution *to) {
        const json_t *processes = json_at(to->benchmark, "processes");
        double n = 0;

        memset(to->heights, 0, to->axis->n_places * sizeof *to->heights);
        for (size_t i = 0; i < json_array_size(processes); i++) {
                double median_ns;
                long place;

                if (!json_number_at(json_array_get(processes, i), "median_ns", &median_ns))
                        continue;
                n++;
                place = axis_place(to->axis, median_ns);
                if (place >= 0 && (size_t)place < to->axis->n_places)
                        to->heights[place]++;
        }
        plot_draw_label(to->canvas, to->y, "medians", n);
        for (size_t place = 0; place < to->axis->n_places; place++) {
                const double count = to->heights[place];
                const char digit[] = { (char)('0' + (int)fmin(count, 9)), '\0' };

                if (count > 0)
                        canvas_put(to->canvas, first_place + (long)place, to->y, GRID_BOLD, count > 1 ? digit : "•");
        }
        to->y++;
}

static void draw_interval(Distribution *to) {
        double point, low, high;
        long x;

        canvas_put(to->canvas, PLOT_LABELS, to->y, GRID_DIM, "│");
        if (!json_number_at(to->benchmark, "time_ns.point", &point))
                return;
        if (json_number_at(to->benchmark, "time_ns.low", &low) &&
                        json_number_at(to->benchmark, "time_ns.high", &high)) {
                canvas_write(to->canvas, 2, to->y, GRID_PLAIN, "95 % interval");
                for (x = axis_place(to->axis, low); x <= axis_place(to->axis, high); x++)
                        canvas_put(to->canvas, first_place + x, to->y, GRID_PLAIN, "─");
                canvas_put(to->canvas, first_place + axis_place(to->axis, low), to->y, GRID_PLAIN, "├");
                canvas_put(to->canvas, first_place + axis_place(to->axis, high), to->y, GRID_PLAIN, "┤");
        } else {
                canvas_write(to->canvas, 2, to->y, GRID_PLAIN, "time");
        }
        canvas_put(to->canvas, first_place + axis_place(to->axis, point), to->y, GRID_BOLD, "●");
        to->y++;
}

static bool has_modes(const json_t *benchmark) {
        return json_array_size(json_at(benchmark, "modes")) > 0;
}

static void draw_modes(Distribution *to) {
        const json_t *modes = json_at(to->benchmark, "modes");
        const json_t *mode;

        plot_draw_label(to->canvas, to->y, "modes", (double)json_array_size(modes));
        json_each(i, mode, modes) {
                const char *kind = json_text_at(mode, "kind");
                double center_ns;

                if (json_number_at(mode, "center_ns", &center_ns))
                        canvas_put(to->canvas, first_place + axis_place(to->axis, center_ns), to->y, GRID_CAUTION,
                                        kind && strcmp(kind, "between") == 0 ? "△" : "▲");
        }
        to->y++;
}

/* ---- words below */

/* "3 samples lie above, up to 1.2 ms": those that the axis leaves out. */
static void print_outside(const PlotSamples *samples, const Axis *axis, const View *view, FILE *out) {
        double lowest = INFINITY, highest = -INFINITY;
        size_t n_below = 0, n_above = 0;
        char time[UNIT_TEXT_MAX], count[UNIT_TEXT_MAX], text[2 * UNIT_TEXT_MAX + 64];

        for (size_t i = 0; i < samples->n; i++) {
                const double time_ns = samples->samples[i].time_ns;
                const long place = axis_place(axis, time_ns);

                n_below += place < 0;
                n_above += place >= (long)axis->n_places;
                lowest = fmin(lowest, time_ns);
                highest = fmax(highest, time_ns);
        }
        if (n_above > 0) {
                snprintf(text, sizeof text, "  %s sample%s beyond the right end, up to %s",
                                unit_count((double)n_above, count), n_above == 1 ? "" : "s",
                                unit_time_in(axis->unit, highest, time));
                grid_print_styled(GRID_DIM, view->color, text, out);
                fputc('\n', out);
        }
        if (n_below > 0) {
                snprintf(text, sizeof text, "  %s sample%s beyond the left end, down to %s",
                                unit_count((double)n_below, count), n_below == 1 ? "" : "s",
                                unit_time_in(axis->unit, lowest, time));
                grid_print_styled(GRID_DIM, view->color, text, out);
                fputc('\n', out);
        }
}

static int print_modes(const json_t *benchmark, const View *view, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes");
        _cleanup_(freep) char *text = NULL;
        size_t n;
        FILE *stream = open_memstream(&text, &n);
        const json_t *mode;

        if (!stream)
                return error_origin(-errno);
        json_each(i, mode, modes) {
                const char *kind = json_text_at(mode, "kind");
                const bool between = kind && strcmp(kind, "between") == 0;
                char share[UNIT_TEXT_MAX], time[UNIT_TEXT_MAX];
                double center_ns = 0, weight = 0;

                (void)json_number_at(mode, "center_ns", &center_ns);
                (void)json_number_at(mode, "weight", &weight);
                fprintf(stream, "%s%s of the %s at %s %s", i > 0 ? ", " : "", unit_share(weight, share),
                                between ? "processes" : "samples",
                                unit_time_in(time_unit_of(benchmark), center_ns, time), between ? "△" : "▲");
        }
        if (fclose(stream) != 0)
                return error_origin(-errno);
        fputs("  ", out);
        typeset_wrap(text, 2, 4, plot_width(view), out);
        fputc('\n', out);
        return 0;
}

int plot_distribution(const json_t *benchmark, const PlotSamples *samples, const Axis *axis, const View *view,
                FILE *out) {
        const size_t n_lines = BARS_LINES + _MARK_CLASS_N - 1 + has_modes(benchmark) + 4;
        _cleanup_(freep) double *heights = calloc(axis->n_places, sizeof *heights);
        _cleanup_(canvas_freep) Canvas *canvas = NULL;
        Distribution to = { .benchmark = benchmark, .samples = samples, .axis = axis, .heights = heights };
        AxisTicks ticks;
        int r;

        if (!heights)
                return error_origin(-ENOMEM);
        r = canvas_new(plot_width(view), n_lines, &canvas);
        if (r)
                return error_trace(r);
        to.canvas = canvas;
        if (samples->n > 0)
                draw_classes(&to);
        else
                draw_histogram(&to);
        if (has_modes(benchmark))
                draw_modes(&to);
        draw_medians(&to);
        draw_interval(&to);
        axis_tick_times(axis, PLOT_TICK_GAP, &ticks);
        plot_draw_axis(canvas, to.y, plot_width(view), axis, &ticks);
        canvas_print(canvas, view, out);
        print_outside(samples, axis, view, out);
        return has_modes(benchmark) ? error_trace(print_modes(benchmark, view, out)) : 0;
}

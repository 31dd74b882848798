/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A sweep: the time of a benchmark over its size, both on logarithmic axes, where a power of the size is a straight line; and the fit of
 * the result, which tells where the times leave it.
 */

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/json-path.h"
#include "ctl/plot.h"
#include "ctl/report.h"
#include "ctl/result.h"
#include "ctl/time-unit.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define SWEEP_LINES    12
#define SWEEP_TICK_GAP 3 /* lines between times */
#define SWEEP_BESIDE   1.15

DEFINE_CLEANUP(Canvas *, canvas_free)

typedef struct SweepPoint {
        double size;
        double time_ns;
} SweepPoint;

typedef struct Sweep {
        SweepPoint *points;
        size_t n;
        Axis sizes;
        Axis times;
        Canvas *canvas;
} Sweep;

static const long first_place = PLOT_LABELS + 1;

/* ---- its benchmarks */

/* A logarithm is of what is above 0. */
static bool point_of(const json_t *sweep, const json_t *benchmark, SweepPoint *ret_point) {
        const char *argument = json_text_at(sweep, "arg");
        const json_t *value = argument ? json_object_get(json_at(benchmark, "args"), argument) : NULL;
        SweepPoint point = { .size = json_number_value(value) };

        if (!report_sweep_is_same(sweep, benchmark) || !json_number_at(benchmark, "time_ns.point", &point.time_ns) ||
                        !(point.size > 0) || !(point.time_ns > 0))
                return false;
        *ret_point = point;
        return true;
}

static int sweep_read(Sweep *to, const json_t *result, const json_t *sweep) {
        const json_t *benchmarks = result_rows(result);

        to->points = calloc(json_array_size(benchmarks) + 1, sizeof *to->points);
        if (!to->points)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < json_array_size(benchmarks); i++)
                to->n += point_of(sweep, json_array_get(benchmarks, i), &to->points[to->n]);
        return 0;
}

static void sweep_clear(Sweep *sweep) {
        free(sweep->points);
}

/* ---- the fit */

static void draw_fit(const Sweep *of, const json_t *sweep) {
        for (size_t place = 0; place < of->sizes.n_places; place++) {
                const double time_ns = report_sweep_time_ns(sweep, axis_value(&of->sizes, (double)place));

                if (time_ns > 0)
                        canvas_put(of->canvas, first_place + (long)place,
                                        SWEEP_LINES - 1 - axis_place(&of->times, time_ns), GRID_DIM, "·");
        }
}

/* ---- the picture */

static void sweep_set_axes(Sweep *sweep, size_t n_places) {
        SweepPoint low = { INFINITY, INFINITY }, high = { 0, 0 };

        for (size_t i = 0; i < sweep->n; i++) {
                low.size = fmin(low.size, sweep->points[i].size);
                low.time_ns = fmin(low.time_ns, sweep->points[i].time_ns);
                high.size = fmax(high.size, sweep->points[i].size);
                high.time_ns = fmax(high.time_ns, sweep->points[i].time_ns);
        }
        sweep->sizes = axis_log(low.size / SWEEP_BESIDE, high.size * SWEEP_BESIDE, n_places);
        sweep->times = axis_log(low.time_ns / SWEEP_BESIDE, high.time_ns * SWEEP_BESIDE, SWEEP_LINES);
}

static void draw_times(const Sweep *sweep) {
        AxisTicks ticks;

        for (long y = 0; y < SWEEP_LINES; y++)
                canvas_put(sweep->canvas, PLOT_LABELS, y, GRID_DIM, "│");
        axis_tick_log_times(&sweep->times, SWEEP_TICK_GAP, &ticks);
        for (size_t i = 0; i < ticks.n; i++) {
                const long y = SWEEP_LINES - 1 - axis_place(&sweep->times, ticks.ticks[i].value);

                canvas_write_before(sweep->canvas, PLOT_LABELS - 1, y, GRID_DIM, ticks.ticks[i].text);
                canvas_put(sweep->canvas, PLOT_LABELS, y, GRID_DIM, "┼");
        }
}

static void draw_points(const Sweep *sweep) {
        for (size_t i = 0; i < sweep->n; i++)
                canvas_put(sweep->canvas, first_place + axis_place(&sweep->sizes, sweep->points[i].size),
                                SWEEP_LINES - 1 - axis_place(&sweep->times, sweep->points[i].time_ns), GRID_BOLD, "●");
}

int plot_sweep(const json_t *result, const json_t *sweep, const View *view, FILE *out) {
        const char *argument = json_text_at(sweep, "arg");
        _cleanup_(sweep_clear) Sweep of = {};
        _cleanup_(canvas_freep) Canvas *canvas = NULL;
        AxisTicks ticks;
        int r;

        r = sweep_read(&of, result, sweep);
        if (r || of.n == 0)
                return error_trace(r);
        r = canvas_new(plot_width(view), SWEEP_LINES + 2, &canvas);
        if (r)
                return error_trace(r);
        of.canvas = canvas;
        sweep_set_axes(&of, plot_places(view));
        of.times.unit = time_unit_of(sweep);
        draw_fit(&of, sweep);
        draw_times(&of);
        draw_points(&of);
        axis_tick_log_numbers(&of.sizes, PLOT_TICK_GAP, &ticks);
        plot_draw_axis(canvas, SWEEP_LINES, plot_width(view), &of.sizes, &ticks);
        canvas_write(canvas, 2, SWEEP_LINES + 1, GRID_PLAIN, argument ? argument : "n");
        canvas_print(canvas, view, out);
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison: the interval of each pair's ratio on one logarithmic axis, with the margin shaded around 1. An interval beyond the shade is
 * a difference, one within it none, and one across its edge settles nothing.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/json-path.h"
#include "ctl/plot.h"
#include "ctl/result.h"
#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

#define RATIO_BESIDE   1.02 /* the axis goes on at least so far beyond all that it shows */
#define RATIO_TICK_GAP 8u
#define VERDICT_WIDTH  10u /* "unresolved" */
#define NAME_MOST      0.4 /* of the width */

DEFINE_CLEANUP(Canvas *, canvas_free)

typedef struct RatioChart {
        Canvas *canvas;
        Axis axis;
        long first_place;
        size_t width;
        double margin;
} RatioChart;

static const struct {
        const char *word;
        GridStyle style;
} verdicts[] = {
        { "faster", GRID_GOOD },
        { "slower", GRID_BAD },
        { "same", GRID_PLAIN },
        { "unresolved", GRID_CAUTION },
};

static GridStyle verdict_style(const char *word) {
        for (size_t i = 0; i < N_ELEMENTS(verdicts); i++)
                if (strcmp(verdicts[i].word, word) == 0)
                        return verdicts[i].style;
        return GRID_PLAIN;
}

/* ---- names */

/* The name of a pair, in memory of the caller. */
static int name_of(const json_t *comparison, char **ret_name) {
        const char *area = json_text_at(comparison, "area"), *name = json_text_at(comparison, "name");
        size_t n;
        FILE *out = open_memstream(ret_name, &n);

        if (!out)
                return error_origin(-errno);
        fprintf(out, "%s%s%s", area ? area : "", area ? "/" : "", name ? name : "?");
        arguments_print(comparison, out);
        return fclose(out) == 0 ? 0 : error_origin(-ENOMEM);
}

/* The columns of the longest name, as far as there may be. */
static int names_width(const json_t *comparisons, size_t width, size_t *ret_width) {
        const size_t most = (size_t)(NAME_MOST * (double)width);
        size_t longest = 0;

        for (size_t i = 0; i < json_array_size(comparisons); i++) {
                _cleanup_(freep) char *name = NULL;
                size_t n;
                int r;

                r = name_of(json_array_get(comparisons, i), &name);
                if (r)
                        return error_trace(r);
                n = typeset_width(name);
                longest = n > longest ? n : longest;
        }
        *ret_width = longest < most ? longest : most;
        return 0;
}

/* The middle of a long name gives way. */
static int write_name(const RatioChart *chart, const json_t *comparison, long y) {
        _cleanup_(freep) char *name = NULL, *shown = NULL;
        FILE *out;
        size_t n;
        int r;

        r = name_of(comparison, &name);
        if (r)
                return error_trace(r);
        out = open_memstream(&shown, &n);
        if (!out)
                return error_origin(-errno);
        typeset_print(name, (size_t)chart->first_place - 2, out);
        if (fclose(out) != 0)
                return error_origin(-ENOMEM);
        canvas_write(chart->canvas, 0, y, GRID_PLAIN, shown);
        return 0;
}

/* ---- rows */

typedef struct Ratio {
        double point;
        double low; /* as the point where there is no interval */
        double high;
} Ratio;

static bool ratio_of(const json_t *comparison, Ratio *ret_ratio) {
        Ratio ratio;

        if (!json_number_at(comparison, "ratio.point", &ratio.point) || !(ratio.point > 0))
                return false;
        ratio.low = ratio.high = ratio.point;
        (void)json_number_at(comparison, "ratio.low", &ratio.low);
        (void)json_number_at(comparison, "ratio.high", &ratio.high);
        *ret_ratio = ratio;
        return ratio.low > 0;
}

/* Over all intervals, and the margin; false if there is nothing to show. */
static bool chart_set_axis(RatioChart *chart, const json_t *comparisons, size_t n_places) {
        double low, high;
        size_t n = 0;

        (void)json_number_at(json_array_get(comparisons, 0), "margin", &chart->margin);
        high = 1 + chart->margin, low = 1 / high;
        for (size_t i = 0; i < json_array_size(comparisons); i++) {
                Ratio ratio;

                if (!ratio_of(json_array_get(comparisons, i), &ratio))
                        continue;
                low = fmin(low, ratio.low);
                high = fmax(high, ratio.high);
                n++;
        }
        chart->axis = axis_log(low / RATIO_BESIDE, high * RATIO_BESIDE, n_places);
        return n > 0;
}

static void draw_margin(const RatioChart *chart, long y) {
        const long low = axis_place(&chart->axis, 1 / (1 + chart->margin));
        const long high = axis_place(&chart->axis, 1 + chart->margin);

        for (long place = low; place <= high; place++)
                canvas_put(chart->canvas, chart->first_place + place, y, GRID_DIM, "░");
        canvas_put(chart->canvas, chart->first_place + axis_place(&chart->axis, 1), y, GRID_DIM, "│");
}

static void draw_ratio(const RatioChart *chart, const json_t *comparison, long y) {
        const char *verdict = json_text_at(comparison, "verdict");
        const GridStyle style = verdict_style(verdict ? verdict : "");
        const long first = chart->first_place;
        Ratio ratio;
        long low, high;

        if (!ratio_of(comparison, &ratio))
                return;
        low = first + axis_place(&chart->axis, ratio.low);
        high = first + axis_place(&chart->axis, ratio.high);
        for (long x = low; x <= high; x++)
                canvas_put(chart->canvas, x, y, style, "─");
        canvas_put(chart->canvas, low, y, style, "├");
        canvas_put(chart->canvas, high, y, style, "┤");
        canvas_put(chart->canvas, first + axis_place(&chart->axis, ratio.point), y, style, "●");
        if (verdict)
                canvas_write(chart->canvas, (long)(chart->width - VERDICT_WIDTH), y, style, verdict);
}

static void draw_axis(const RatioChart *chart, long y) {
        AxisTicks ticks;

        axis_tick_ratios(&chart->axis, RATIO_TICK_GAP, &ticks);
        for (size_t i = 0; i < chart->axis.n_places; i++)
                canvas_put(chart->canvas, chart->first_place + (long)i, y, GRID_DIM, "─");
        for (size_t i = 0; i < ticks.n; i++) {
                const long x = chart->first_place + axis_place(&chart->axis, ticks.ticks[i].value);

                canvas_put(chart->canvas, x, y, GRID_DIM, "┬");
                canvas_write(chart->canvas, x - (long)strlen(ticks.ticks[i].text) / 2, y + 1, GRID_DIM,
                                ticks.ticks[i].text);
        }
        canvas_write(chart->canvas, 0, y + 1, GRID_DIM, "new / old");
}

int plot_comparison(const json_t *result, const View *view, FILE *out) {
        const json_t *comparisons = result_comparisons(result);
        const size_t n = json_array_size(comparisons);
        RatioChart chart = { .width = plot_width(view) };
        _cleanup_(canvas_freep) Canvas *canvas = NULL;
        size_t n_name;
        int r;

        r = names_width(comparisons, chart.width, &n_name);
        if (r)
                return error_trace(r);
        chart.first_place = (long)(n_name > strlen("new / old") ? n_name : strlen("new / old")) + 2;
        if (!chart_set_axis(&chart, comparisons, chart.width - (size_t)chart.first_place - VERDICT_WIDTH - 2))
                return 0;
        r = canvas_new(chart.width, n + 2, &canvas);
        if (r)
                return error_trace(r);
        chart.canvas = canvas;
        for (size_t i = 0; r == 0 && i < n; i++) {
                draw_margin(&chart, (long)i);
                draw_ratio(&chart, json_array_get(comparisons, i), (long)i);
                r = write_name(&chart, json_array_get(comparisons, i), (long)i);
        }
        if (r)
                return error_trace(r);
        draw_axis(&chart, (long)n);
        canvas_print(canvas, view, out);
        return 0;
}

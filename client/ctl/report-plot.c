/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The pictures of a result, below its table: those of each benchmark, of each sweep in place of its many rows, and of a comparison.
 */

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/cell.h"
#include "ctl/json-path.h"
#include "ctl/plot.h"
#include "ctl/report.h"
#include "ctl/time-unit.h"
#include "ctl/typeset.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

static int cell_text_of(CellFill fill, const char *path, const json_t *benchmark, char **ret_text) {
        size_t n;
        FILE *out = open_memstream(ret_text, &n);

        if (!out)
                return error_origin(-errno);
        fill(path, benchmark, NULL, out);
        return fclose(out) == 0 ? 0 : error_origin(-ENOMEM);
}

/* "strings/memchr n=1000  12.35 ns ± 1.2 %" */
static int print_title(const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(freep) char *name = NULL, *time = NULL, *interval = NULL;
        const char *area = json_text_at(benchmark, "area");
        int r;

        r = cell_text_of(cell_sided_name, NULL, benchmark, &name);
        if (r == 0)
                r = cell_text_of(cell_time, "time_ns.point", benchmark, &time);
        if (r == 0)
                r = cell_text_of(cell_interval, NULL, benchmark, &interval);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        if (area) {
                grid_print_styled(GRID_BOLD, view->color, area, out);
                grid_print_styled(GRID_BOLD, view->color, "/", out);
        }
        grid_print_styled(GRID_BOLD, view->color, name, out);
        fprintf(out, "  %s%s%s\n", time, *interval ? " " : "", interval);
        return 0;
}

/* The course of one side of a pair has an axis of its own, or the other side would press it flat. */
static int print_course(const json_t *benchmark, const PlotSamples *samples, const View *view, FILE *out) {
        PlotRange range = { .low = INFINITY, .high = -INFINITY };
        Axis axis;
        int r;

        if (samples->n == 0)
                return 0;
        r = plot_range_add(benchmark, samples, &range);
        if (r)
                return error_trace(r);
        axis = axis_linear(range.low, range.high, plot_places(view));
        axis.unit = time_unit_of(benchmark);
        fputc('\n', out);
        return error_trace(plot_course(samples, &axis, view, out));
}

/* The range of @benchmark, and of the other side of its pair, which stand above each other. */
static int range_of_pair(const json_t *benchmarks, const json_t *benchmark, PlotRange *range) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *other = json_array_get(benchmarks, i);
                _cleanup_(plot_samples_clear) PlotSamples samples = {};
                int r;

                if (other != benchmark &&
                                (!json_text_at(other, "side") ||
                                                !json_equal(json_at(other, "index"), json_at(benchmark, "index"))))
                        continue;
                r = plot_samples_read(other, &samples);
                if (r == 0)
                        r = plot_range_add(other, &samples, range);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* True if there is more of @benchmark than its time, which the table has. */
static bool has_picture(const json_t *benchmark, const PlotSamples *samples) {
        return samples->n > 0 || json_array_size(json_at(benchmark, "time_ns.histogram.counts")) > 0;
}

static int print_benchmark(const json_t *benchmarks, const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(plot_samples_clear) PlotSamples samples = {};
        PlotRange range = { .low = INFINITY, .high = -INFINITY };
        Axis axis;
        int r;

        r = range_of_pair(benchmarks, benchmark, &range);
        if (r == 0)
                r = plot_samples_read(benchmark, &samples);
        if (r || !has_picture(benchmark, &samples))
                return error_trace(r);
        axis = axis_linear(range.low, range.high, plot_places(view));
        axis.unit = time_unit_of(benchmark);
        r = print_title(benchmark, view, out);
        if (r == 0)
                r = plot_distribution(benchmark, &samples, &axis, view, out);
        return r ? error_trace(r) : error_trace(print_course(benchmark, &samples, view, out));
}

static int print_sweep(const json_t *result, const json_t *sweep, const View *view, FILE *out) {
        const char *area = json_text_at(sweep, "area"), *name = json_text_at(sweep, "name");
        const char *order = json_text_at(sweep, "order");
        double threads;

        fputc('\n', out);
        if (area) {
                grid_print_styled(GRID_BOLD, view->color, area, out);
                grid_print_styled(GRID_BOLD, view->color, "/", out);
        }
        grid_print_styled(GRID_BOLD, view->color, name ? name : "?", out);
        if (json_number_at(sweep, "threads", &threads) && threads > 1)
                fprintf(out, " threads=%g", threads);
        if (order)
                fprintf(out, "  O(%s) ·\n", order);
        else
                fputs("  no order of growth fits\n", out);
        return error_trace(plot_sweep(result, sweep, view, out));
}

static bool is_first_of(const json_t *benchmarks, size_t index, const json_t *sweep) {
        for (size_t i = 0; i < index; i++)
                if (report_sweep_is_same(sweep, json_array_get(benchmarks, i)))
                        return false;
        return true;
}

static bool any_samples(const json_t *benchmarks) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *processes = json_at(json_array_get(benchmarks, i), "processes");

                for (size_t k = 0; k < json_array_size(processes); k++)
                        if (json_at(json_array_get(processes, k), "samples"))
                                return true;
        }
        return false;
}

int report_plot(const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        int r = 0;

        if (report_is_comparison(result)) {
                fputc('\n', out);
                r = plot_comparison(result, view, out);
        }
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i), *sweep = report_sweep_find(result, benchmark);

                if (json_at(benchmark, "failed"))
                        continue;
                if (!sweep)
                        r = print_benchmark(benchmarks, benchmark, view, out);
                else if (is_first_of(benchmarks, i, sweep))
                        r = print_sweep(result, sweep, view, out);
        }
        if (r == 0 && !any_samples(benchmarks)) {
                fputc('\n', out);
                typeset_wrap("This run kept no samples to draw over time: measure with --plot or --keep-samples.", 0, 0,
                                plot_width(view), out);
                fputc('\n', out);
        }
        return error_trace(r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The pictures of a result, below its table: for each benchmark, for each sweep instead of its many rows, and for a comparison.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/plots/characters.h"
#include "ctl/show/plots/picture.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

/* ---- titles and words */

static void print_bold(const json_t *row, const char *name, const View *view, FILE *out) {
        fputc('\n', out);
        if (*row_area(row) && !row_is_command(row)) {
                grid_print_styled(GRID_BOLD, view->color, row_area(row), out);
                grid_print_styled(GRID_BOLD, view->color, "/", out);
        }
        grid_print_styled(GRID_BOLD, view->color, name, out);
}

/* "strings/memchr n=1000  12.35 ns ± 1.2 %" */
static int print_title(const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(freep) char *name = cell_make(cell_sided_name, NULL, benchmark, NULL);
        _cleanup_(freep) char *time = cell_make(cell_time, "time_ns.point", benchmark, &view->times);
        _cleanup_(freep) char *interval = cell_make(cell_interval, NULL, benchmark, &view->times);

        if (!name || !time || !interval)
                return error_origin(-ENOMEM);
        print_bold(benchmark, name, view, out);
        fprintf(out, "  %s%s%s\n", time, *interval ? " " : "", interval);
        return 0;
}

static void print_count(size_t n, const char *words, double time_ns, const AmountTimeUnit *unit, const View *view,
                FILE *out) {
        char time[UNIT_TEXT_MAX], count[UNIT_TEXT_MAX], text[2 * UNIT_TEXT_MAX + 64];

        if (n == 0)
                return;
        snprintf(text, sizeof text, "  %s sample%s beyond the %s %s", unit_count((double)n, count), n == 1 ? "" : "s",
                        words, unit_time_in(unit, time_ns, time));
        grid_print_styled(GRID_DIM, view->color, text, out);
        fputc('\n', out);
}

/* "3 samples beyond the right end, up to 1.2 ms". */
static void print_outside(const PlotSamples *samples, const Axis *axis, const View *view, FILE *out) {
        double lowest = INFINITY, highest = -INFINITY;
        size_t n_below = 0, n_above = 0;

        for (size_t i = 0; i < samples->n; i++) {
                const double time_ns = samples->samples[i].time_ns;

                n_below += time_ns < axis->low;
                n_above += time_ns > axis->high;
                lowest = fmin(lowest, time_ns);
                highest = fmax(highest, time_ns);
        }
        print_count(n_above, "right end, up to", highest, axis->unit, view, out);
        print_count(n_below, "left end, down to", lowest, axis->unit, view, out);
}

static int print_modes(const json_t *benchmark, const View *view, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes"), *mode;
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);
        int r;

        json_each(i, mode, modes) {
                const bool between = json_text_is(mode, "kind", "between");
                char share[UNIT_TEXT_MAX], time[UNIT_TEXT_MAX];

                fprintf(stream, "%s%s of the %s at %s %s", i > 0 ? ", " : "",
                                unit_share(json_number_or(mode, "weight", 0), share), between ? "processes" : "samples",
                                unit_time_in(view->times.unit, json_number_or(mode, "center_ns", 0), time),
                                between ? picture_look_mode_between.glyph : picture_look_mode.glyph);
        }
        r = text_stream_close(&text);
        if (r)
                return error_trace(r);
        fputs("  ", out);
        typeset_wrap(text.text, 2, 4, characters_width(view), out);
        fputc('\n', out);
        return 0;
}

/* ---- a benchmark */

static int print_picture(const Picture *picture, const View *view, FILE *out) {
        const int r = picture_finish(picture);

        return r ? error_trace(r) : error_trace(characters_print(picture, view, out));
}

/* The course of each side of a pair has a separate axis, or the other side could flatten it. */
static int print_course(const json_t *benchmark, const PlotSamples *samples, const View *view, FILE *out) {
        _cleanup_(picture_clear) Picture picture = {};
        SamplesRange range = samples_range(view->times.unit);
        int r;

        if (samples->n == 0)
                return 0;
        r = samples_range_add(&range, benchmark, samples);
        if (r)
                return error_trace(r);
        picture_course(benchmark, samples, &range, &picture);
        fputc('\n', out);
        return error_trace(print_picture(&picture, view, out));
}

/* The range of @benchmark, and of the other side of its pair, drawn one above the other. */
static int range_of_pair(const json_t *benchmarks, const json_t *benchmark, SamplesRange *range) {
        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *other = json_array_get(benchmarks, i);
                _cleanup_(samples_clear) PlotSamples samples = {};
                int r;

                if (other != benchmark &&
                                (!json_text_at(other, "side") ||
                                                !json_equal(json_at(other, "index"), json_at(benchmark, "index"))))
                        continue;
                r = samples_read(other, &samples);
                if (r == 0)
                        r = samples_range_add(range, other, &samples);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* True if there is more of @benchmark than its time, which the table has. */
static bool has_picture(const json_t *benchmark, const PlotSamples *samples) {
        return samples->n > 0 || json_array_size(json_at(benchmark, "time_ns.histogram.counts")) > 0;
}

static int print_distribution(const json_t *benchmark, const PlotSamples *samples, const SamplesRange *range,
                const View *view, FILE *out) {
        _cleanup_(picture_clear) Picture picture = {};
        int r;

        picture_distribution(benchmark, samples, range, &picture);
        r = print_picture(&picture, view, out);
        if (r)
                return error_trace(r);
        print_outside(samples, &picture.x, view, out);
        return json_array_size(json_at(benchmark, "modes")) > 0 ? error_trace(print_modes(benchmark, view, out)) : 0;
}

static int print_benchmark(const json_t *benchmarks, const json_t *benchmark, const View *view, FILE *out) {
        _cleanup_(samples_clear) PlotSamples samples = {};
        SamplesRange range = samples_range(view->times.unit);
        int r;

        r = range_of_pair(benchmarks, benchmark, &range);
        if (r == 0)
                r = samples_read(benchmark, &samples);
        if (r || !has_picture(benchmark, &samples))
                return error_trace(r);
        r = print_title(benchmark, view, out);
        if (r == 0)
                r = print_distribution(benchmark, &samples, &range, view, out);
        return r ? error_trace(r) : error_trace(print_course(benchmark, &samples, view, out));
}

/* ---- sweeps and comparisons */

static int print_sweep(const json_t *result, const json_t *sweep, const View *view, FILE *out) {
        const char *order = json_text_at(sweep, "order");
        _cleanup_(picture_clear) Picture picture = {};

        print_bold(sweep, row_name(sweep), view, out);
        if (row_threads(sweep) > 1)
                fprintf(out, " threads=%g", row_threads(sweep));
        if (order)
                fprintf(out, "  O(%s) ·\n", order);
        else
                fputs("  no order of growth fits\n", out);
        return picture_sweep(result, sweep, view->times.unit, &picture) > 0
                               ? error_trace(print_picture(&picture, view, out))
                               : 0;
}

static bool is_first_of(const json_t *benchmarks, size_t index, const json_t *sweep) {
        for (size_t i = 0; i < index; i++)
                if (report_sweep_is_same(sweep, json_array_get(benchmarks, i)))
                        return false;
        return true;
}

static int print_ratios(const json_t *result, const View *view, FILE *out) {
        _cleanup_(picture_clear) Picture picture = {};

        picture_ratios(result, &picture);
        fputc('\n', out);
        return error_trace(print_picture(&picture, view, out));
}

int report_plot(const json_t *result, const View *view, FILE *out) {
        const json_t *benchmarks = result_rows(result);
        int r = result_compares(result) ? print_ratios(result, view, out) : 0;

        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i), *sweep = report_sweep_find(result, benchmark);

                if (row_has_failed(benchmark))
                        continue;
                if (!sweep)
                        r = print_benchmark(benchmarks, benchmark, view, out);
                else if (is_first_of(benchmarks, i, sweep))
                        r = print_sweep(result, sweep, view, out);
        }
        if (r == 0 && !samples_were_kept(benchmarks)) {
                fputc('\n', out);
                typeset_wrap(REPORT_NO_SAMPLES ": measure with --plot or --keep-samples.", 0, 0, characters_width(view),
                                out);
                fputc('\n', out);
        }
        return error_trace(r);
}

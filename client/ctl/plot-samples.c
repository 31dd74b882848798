/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/plot-samples.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/json-path.h"
#include "util/cleanup.h"
#include "util/error.h"

#define RANGE_BULK   0.05 /* the quantile of the quiet samples from which to that of the other end their bulk reaches */
#define RANGE_OTHERS 0.75 /* ... and of the others, that it goes on to where they are many or near */
#define RANGE_MANY   0.25 /* of the quiet ones */
#define RANGE_NEAR   1.0  /* of its width */

void plot_samples_clear(PlotSamples *samples) {
        free(samples->samples);
        *samples = (PlotSamples){};
}

static void add_process(PlotSamples *samples, const json_t *process, size_t index) {
        const json_t *at_ns = json_at(process, "samples.at_ns"), *time_ns = json_at(process, "samples.time_ns");
        const json_t *marks = json_at(process, "samples.marks");
        const size_t n = json_array_size(at_ns);
        double last_ns = 1;

        for (size_t i = 0; i < n; i++)
                last_ns = fmax(last_ns, json_number_value(json_array_get(at_ns, i)));
        for (size_t i = 0; i < n; i++) {
                PlotSample *sample = &samples->samples[samples->n++];

                *sample = (PlotSample){
                        .at = (double)index + fmin(json_number_value(json_array_get(at_ns, i)) / last_ns, 0.999),
                        .time_ns = json_number_value(json_array_get(time_ns, i)),
                        .marks = (uint32_t)json_integer_value(json_array_get(marks, i)),
                };
                sample->class = marks_class(sample->marks);
                samples->n_of_class[sample->class]++;
        }
}

int plot_samples_read(const json_t *benchmark, PlotSamples *ret_samples) {
        const json_t *processes = json_at(benchmark, "processes");
        PlotSamples samples = { .n_processes = json_array_size(processes) };
        size_t n = 0;

        for (size_t i = 0; i < samples.n_processes; i++)
                n += json_array_size(json_at(json_array_get(processes, i), "samples.at_ns"));
        samples.samples = calloc(n + 1, sizeof *samples.samples);
        if (!samples.samples)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < samples.n_processes; i++)
                add_process(&samples, json_array_get(processes, i), i);
        *ret_samples = samples;
        return 0;
}

/* ---- range */

static void range_add(PlotRange *range, double value) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
}

static void range_add_at(PlotRange *range, const json_t *json, const char *path) {
        double value;

        if (json_number_at(json, path, &value))
                range_add(range, value);
}

static int compare_times(const void *left, const void *right) {
        const double a = *(const double *)left, b = *(const double *)right;

        return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double p) {
        return sorted[(size_t)(p * (double)(n - 1) + 0.5)];
}

/*
 * The bulk of the quiet samples and as much again to either side, as far as there are any: a far tail would press all else into a few
 * columns. Without quiet samples all count as such.
 */
static void range_add_samples(PlotRange *range, const PlotSamples *samples, double *times) {
        const bool any = samples->n_of_class[MARK_CLASS_QUIET] > 0;
        size_t n = 0, n_others = 0;
        double low, high;

        for (size_t i = 0; i < samples->n; i++)
                if (!any || samples->samples[i].class == MARK_CLASS_QUIET)
                        times[n++] = samples->samples[i].time_ns;
        qsort(times, n, sizeof *times, compare_times);
        low = quantile(times, n, RANGE_BULK);
        high = quantile(times, n, 1 - RANGE_BULK);
        range_add(range, fmax(times[0], low - (high - low)));
        range_add(range, fmin(times[n - 1], high + (high - low)));
        for (size_t i = 0; any && i < samples->n; i++)
                if (samples->samples[i].class != MARK_CLASS_QUIET)
                        times[n_others++] = samples->samples[i].time_ns;
        if (n_others == 0)
                return;
        qsort(times, n_others, sizeof *times, compare_times);
        high = quantile(times, n_others, RANGE_OTHERS);
        if ((double)n_others > RANGE_MANY * (double)n || high < range->high + RANGE_NEAR * (range->high - range->low))
                range_add(range, high);
}

int plot_range_add(const json_t *benchmark, const PlotSamples *samples, PlotRange *range) {
        _cleanup_(freep) double *times = calloc(samples->n + 1, sizeof *times);
        const json_t *processes = json_at(benchmark, "processes");

        if (!times)
                return error_origin(-ENOMEM);
        range_add_at(range, benchmark, "time_ns.low");
        range_add_at(range, benchmark, "time_ns.point");
        range_add_at(range, benchmark, "time_ns.high");
        for (size_t i = 0; i < json_array_size(processes); i++)
                range_add_at(range, json_array_get(processes, i), "median_ns");
        if (samples->n > 0) {
                range_add_samples(range, samples, times);
                return 0;
        }
        range_add_at(range, benchmark, "time_ns.histogram.low");
        range_add_at(range, benchmark, "time_ns.histogram.high");
        return 0;
}

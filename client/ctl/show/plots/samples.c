/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/samples.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/base/json-path.h"
#include "util/cleanup.h"
#include "util/error.h"

#define RANGE_BULK 0.05 /* the quantile of the quiet samples from which to that of the other end their bulk reaches */
#define RANGE_FEW                                                                                                      \
 100u /* samples, of which that quantile may be an outlier: their quartiles are the bulk, which is narrower */
#define RANGE_OTHERS 0.75 /* the quantile of another class, that it goes on to where they are many or near */
#define RANGE_MANY   0.25 /* of all samples */
#define RANGE_NEAR   1.0  /* of its width */
#define RANGE_FAR    3.0  /* of its width: a median, a mode or an end of the interval farther away is beyond the axis */
#define RANGE_LEAST  0.02 /* its width for that purpose, of its values */

/* ---- marks */

const char *sample_class_word(MarkClass class) {
        static const char *const words[_MARK_CLASS_N] = {
                [MARK_CLASS_QUIET] = "quiet",
                [MARK_CLASS_SHARED] = "shared",
                [MARK_CLASS_DISTURBED] = "disturbed",
        };

        return words[class];
}

static unsigned first_of(uint32_t marks) {
        unsigned i = 0;

        while (i < MARKS_N && !(mark_by_weight(i)->bit & marks))
                i++;
        return i;
}

/* ---- reading */

void samples_clear(PlotSamples *samples) {
        free(samples->samples);
        *samples = (PlotSamples){};
}

static void samples_add(PlotSamples *samples, double at, double time_ns, uint32_t marks) {
        PlotSample *sample = &samples->samples[samples->n];

        if (!isfinite(at) || !isfinite(time_ns))
                return;
        *sample = (PlotSample){
                .at = at,
                .time_ns = time_ns,
                .marks = marks,
                .class = marks_class(marks),
                .first = first_of(marks),
        };
        samples->n_of_class[sample->class]++;
        samples->n_of_first[sample->first]++;
        samples->n++;
}

static void add_process(PlotSamples *samples, const json_t *process, size_t index) {
        const json_t *at_ns = json_at(process, "samples.at_ns"), *time_ns = json_at(process, "samples.time_ns");
        const json_t *marks = json_at(process, "samples.marks");
        const size_t n = json_array_size(at_ns);
        double last_ns = 1;

        for (size_t i = 0; i < n; i++)
                last_ns = fmax(last_ns, json_number_value(json_array_get(at_ns, i)));
        for (size_t i = 0; i < n; i++) {
                const double share = json_number_value(json_array_get(at_ns, i)) / last_ns;

                samples_add(samples, (double)index + fmax(0, fmin(share, 0.999)),
                                json_number_value(json_array_get(time_ns, i)),
                                (uint32_t)json_integer_value(json_array_get(marks, i)));
        }
}

bool samples_were_kept(const json_t *benchmarks) {
        const json_t *benchmark, *process;

        json_each(i, benchmark, benchmarks) {
                json_each(k, process, json_at(benchmark, "processes")) {
                        if (json_at(process, "samples"))
                                return true;
                }
        }
        return false;
}

int samples_read(const json_t *benchmark, PlotSamples *ret_samples) {
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

void samples_keep_half(PlotSamples *samples, bool second) {
        const bool any = samples->n_of_class[MARK_CLASS_QUIET] > 0;
        size_t n = 0;

        for (size_t i = 0; i < samples->n; i++) {
                PlotSample sample = samples->samples[i];

                if (any && sample.class != MARK_CLASS_QUIET)
                        continue;
                sample.at = floor(sample.at) + (sample.at - floor(sample.at)) / 2 + (second ? 0.5 : 0);
                samples->samples[n++] = sample;
        }
        samples->n = n;
}

/* ---- range */

SamplesRange samples_range(const AmountTimeUnit *unit) {
        return (SamplesRange){ .low = INFINITY, .high = -INFINITY, .unit = unit };
}

static void range_add(SamplesRange *range, double value) {
        range->low = fmin(range->low, value);
        range->high = fmax(range->high, value);
}

static void range_add_at(SamplesRange *range, const json_t *json, const char *path) {
        double value;

        if (json_number_at(json, path, &value))
                range_add(range, value);
}

static void range_add_each(SamplesRange *range, const json_t *list, const char *path) {
        for (size_t i = 0; i < json_array_size(list); i++)
                range_add_at(range, json_array_get(list, i), path);
}

static int compare_times(const void *left, const void *right) {
        const double a = *(const double *)left, b = *(const double *)right;

        return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t n, double p) {
        return sorted[(size_t)(p * (double)(n - 1) + 0.5)];
}

/* Takes the times of a class, or with _MARK_CLASS_N all, in rising order. Returns how many there are. */
static size_t sort_class(const PlotSamples *samples, MarkClass class, double *times) {
        size_t n = 0;

        for (size_t i = 0; i < samples->n; i++)
                if (class == _MARK_CLASS_N || samples->samples[i].class == class)
                        times[n++] = samples->samples[i].time_ns;
        qsort(times, n, sizeof *times, compare_times);
        return n;
}

/*
 * The bulk of the quiet samples and about as much again to either side, as far as there are any: a far tail would press all else into a few
 * columns. Without quiet samples all count as such.
 */
static void range_add_samples(SamplesRange *range, const PlotSamples *samples, double *times) {
        const bool any = samples->n_of_class[MARK_CLASS_QUIET] > 0;
        const size_t n = sort_class(samples, any ? MARK_CLASS_QUIET : _MARK_CLASS_N, times);
        const double bulk = n < RANGE_FEW ? 0.25 : RANGE_BULK, reach = n < RANGE_FEW ? 3 : 1;
        const double low = quantile(times, n, bulk), high = quantile(times, n, 1 - bulk);

        range_add(range, fmax(times[0], low - reach * (high - low)));
        range_add(range, fmin(times[n - 1], high + reach * (high - low)));
        for (MarkClass class = MARK_CLASS_QUIET + 1; any && class < _MARK_CLASS_N; class ++) {
                const size_t n_others = sort_class(samples, class, times);
                const double others = n_others > 0 ? quantile(times, n_others, RANGE_OTHERS) : range->high;

                if ((double)n_others > RANGE_MANY * (double)samples->n ||
                                others < range->high + RANGE_NEAR * (range->high - range->low))
                        range_add(range, others);
        }
}

/* The values that summarise @benchmark. */
static void range_add_summary(SamplesRange *range, const json_t *benchmark) {
        range_add_at(range, benchmark, "time_ns.low");
        range_add_at(range, benchmark, "time_ns.point");
        range_add_at(range, benchmark, "time_ns.high");
        range_add_each(range, json_at(benchmark, "processes"), "median_ns");
        range_add_each(range, json_at(benchmark, "modes"), "center_ns");
}

/* Adds @more to the range of the samples, as far as it is not so far away that the axis would flatten them. */
static void range_add_near(SamplesRange *range, const SamplesRange *more) {
        const double width = fmax(range->high - range->low, RANGE_LEAST * fabs(range->high));

        range_add(range, fmax(more->low, range->low - RANGE_FAR * width));
        range_add(range, fmin(more->high, range->high + RANGE_FAR * width));
}

int samples_range_add(SamplesRange *range, const json_t *benchmark, const PlotSamples *samples) {
        _cleanup_(freep) double *times = calloc(samples->n + 1, sizeof *times);
        SamplesRange own = samples_range(range->unit), summary = own;

        if (!times)
                return error_origin(-ENOMEM);
        range_add_summary(&summary, benchmark);
        if (samples->n > 0) {
                range_add_samples(&own, samples, times);
                if (summary.low <= summary.high)
                        range_add_near(&own, &summary);
                range_add_at(&own, benchmark, "time_ns.point");
        } else {
                own = summary;
                range_add_at(&own, benchmark, "time_ns.histogram.low");
                range_add_at(&own, benchmark, "time_ns.histogram.high");
        }
        range_add(range, own.low);
        range_add(range, own.high);
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/message.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "stats/summary.h"
#include "util/cleanup.h"
#include "util/error.h"

#define QUANTITY_CONFIDENCE 0.95

void quantity_deinit(Quantity *quantity) {
        free(quantity->all.values);
        free(quantity->undisturbed.values);
        free(quantity->medians);
        *quantity = (Quantity){};
}

static int samples_reserve(QuantitySamples *samples, size_t n_more) {
        double *values = realloc(samples->values, (samples->n + n_more) * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        samples->values = values;
        return 0;
}

int quantity_reserve(Quantity *quantity, size_t n_samples) {
        double *medians;
        int r;

        r = samples_reserve(&quantity->all, n_samples);
        if (r == 0)
                r = samples_reserve(&quantity->undisturbed, n_samples);
        if (r)
                return error_trace(r);
        medians = realloc(quantity->medians, (quantity->n_processes + 1) * sizeof *medians);
        if (!medians)
                return error_origin(-ENOMEM);
        quantity->medians = medians;
        return 0;
}

void quantity_add(Quantity *quantity, double value, bool undisturbed) {
        quantity->all.values[quantity->all.n++] = value;
        if (undisturbed)
                quantity->undisturbed.values[quantity->undisturbed.n++] = value;
}

static size_t samples_of_process(const QuantitySamples *samples) {
        return samples->n - samples->n_before;
}

static const QuantitySamples *quantity_headline_samples(const Quantity *quantity) {
        size_t n = samples_of_process(&quantity->undisturbed);

        return n >= QUANTITY_UNDISTURBED_MIN && 2 * n >= samples_of_process(&quantity->all) ? &quantity->undisturbed
                                                                                            : &quantity->all;
}

/* The median of the samples of the process under way, which keep their order. */
static int samples_median(const QuantitySamples *samples, double *ret_median) {
        _cleanup_(freep) double *copy = NULL;
        size_t n = samples_of_process(samples);

        if (n == 0) {
                *ret_median = NAN;
                return 0;
        }
        copy = malloc(n * sizeof *copy);
        if (!copy)
                return error_origin(-ENOMEM);
        memcpy(copy, samples->values + samples->n_before, n * sizeof *copy);
        *ret_median = median_of(copy, n);
        return 0;
}

int quantity_end_process(Quantity *quantity, double *ret_median) {
        double median = NAN;
        int r;

        r = samples_median(quantity_headline_samples(quantity), &median);
        if (r)
                return error_trace(r);
        quantity->all.n_before = quantity->all.n;
        quantity->undisturbed.n_before = quantity->undisturbed.n;
        quantity->medians[quantity->n_processes++] = median;
        *ret_median = median;
        return 0;
}

bool quantity_is_known(const Quantity *quantity) {
        for (size_t i = 0; i < quantity->n_processes; i++)
                if (!isfinite(quantity->medians[i]))
                        return false;
        return quantity->n_processes > 0;
}

static int quantity_headline(const Quantity *quantity, MeanInterval *ret_interval, bool *ret_positive) {
        int r;

        r = log_mean_interval(quantity->medians, quantity->n_processes, QUANTITY_CONFIDENCE, ret_interval);
        *ret_positive = r != INTERVAL_E_NOT_POSITIVE;
        if (r == INTERVAL_E_NOT_POSITIVE)
                r = mean_interval(quantity->medians, quantity->n_processes, QUANTITY_CONFIDENCE, ret_interval);
        return error_fold(r);
}

static int summary_report(QuantitySamples *samples, Arena *arena, Benchd__Summary **ret_summary) {
        Benchd__Summary *summary;
        SampleSummary of;
        int r;

        if (samples->n == 0)
                return 0;
        r = sample_summarize(samples->values, samples->n, &of);
        if (r)
                return error_fold(r);
        summary = message_new(arena, Benchd__Summary, benchd__summary);
        if (!summary)
                return error_origin(-ENOMEM);
        message_set(summary, samples, of.n);
        message_set_finite(summary, min, of.min);
        message_set_finite(summary, p1, of.p1);
        message_set_finite(summary, p5, of.p5);
        message_set_finite(summary, p25, of.p25);
        message_set_finite(summary, median, of.median);
        message_set_finite(summary, p75, of.p75);
        message_set_finite(summary, p95, of.p95);
        message_set_finite(summary, p99, of.p99);
        message_set_finite(summary, max, of.max);
        message_set_finite(summary, mean, of.mean);
        message_set_finite(summary, stddev, of.stddev);
        message_set_finite(summary, mad, of.mad);
        message_set_finite(summary, best, of.best);
        message_set_finite(summary, trimmed_mean, of.trimmed_mean);
        *ret_summary = summary;
        return 0;
}

int quantity_report(Quantity *quantity, Arena *arena, Benchd__Quantity **ret_message, bool *ret_positive) {
        Benchd__Quantity *message = message_new(arena, Benchd__Quantity, benchd__quantity);
        MeanInterval interval;
        bool positive = true;
        int r;

        if (!message)
                return error_origin(-ENOMEM);
        r = quantity_headline(quantity, &interval, &positive);
        if (r)
                return error_trace(r);
        message_set_finite(message, point, interval.point);
        message_set_finite(message, low, interval.low);
        message_set_finite(message, high, interval.high);
        r = summary_report(&quantity->all, arena, &message->raw);
        if (r == 0)
                r = summary_report(&quantity->undisturbed, arena, &message->undisturbed);
        if (r)
                return error_trace(r);
        *ret_message = message;
        *ret_positive = positive;
        return 0;
}

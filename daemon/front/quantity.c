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

/*
 * What bounds an iteration takes whole cycles. The loop takes one; a body that alone takes as much, or less, may hide behind
 * it or not. The shortest that does not takes two: halfway between.
 */
#define QUANTITY_WITHIN_LOOP 1.5

void quantity_deinit(Quantity *quantity) {
        free(quantity->all.values);
        free(quantity->undisturbed.values);
        free(quantity->loop.values);
        free(quantity->medians);
        free(quantity->nets);
        *quantity = (Quantity){};
}

static int samples_reserve(QuantitySamples *samples, size_t n_more) {
        double *values = realloc(samples->values, (samples->n + n_more + 1) * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        samples->values = values;
        return 0;
}

static int medians_reserve(double **medians, size_t n) {
        double *grown = realloc(*medians, n * sizeof *grown);

        if (!grown)
                return error_origin(-ENOMEM);
        *medians = grown;
        return 0;
}

int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples) {
        int r;

        r = samples_reserve(&quantity->all, n_samples);
        if (r == 0)
                r = samples_reserve(&quantity->undisturbed, n_samples);
        if (r == 0)
                r = samples_reserve(&quantity->loop, n_loop_samples);
        if (r == 0)
                r = medians_reserve(&quantity->medians, quantity->n_processes + 1);
        if (r == 0)
                r = medians_reserve(&quantity->nets, quantity->n_processes + 1);
        return error_trace(r);
}

void quantity_add(Quantity *quantity, double value, bool undisturbed) {
        quantity->all.values[quantity->all.n++] = value;
        if (undisturbed)
                quantity->undisturbed.values[quantity->undisturbed.n++] = value;
}

void quantity_add_loop(Quantity *quantity, double value) {
        quantity->loop.values[quantity->loop.n++] = value;
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
        double median = NAN, loop = NAN;
        int r;

        r = samples_median(quantity_headline_samples(quantity), &median);
        if (r == 0)
                r = samples_median(&quantity->loop, &loop);
        if (r)
                return error_trace(r);
        quantity->loop.n_before = quantity->loop.n;
        quantity->all.n_before = quantity->all.n;
        quantity->undisturbed.n_before = quantity->undisturbed.n;
        quantity->nets[quantity->n_processes] = median - loop;
        quantity->medians[quantity->n_processes++] = median;
        *ret_median = median;
        return 0;
}

static bool all_finite(const double *values, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (!isfinite(values[i]))
                        return false;
        return n > 0;
}

bool quantity_is_known(const Quantity *quantity) {
        return all_finite(quantity->medians, quantity->n_processes);
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

/* Adds what the empty loop took, where every process timed one. */
static int report_loop(Quantity *quantity, Arena *arena, Benchd__Quantity *message, QuantityFloor *floor) {
        MeanInterval net;
        int r;

        if (!all_finite(quantity->nets, quantity->n_processes))
                return 0;
        r = mean_interval(quantity->nets, quantity->n_processes, QUANTITY_CONFIDENCE, &net);
        if (r)
                return error_fold(r);
        message->net = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->net)
                return error_origin(-ENOMEM);
        message_set_finite(message->net, point, net.point);
        message_set_finite(message->net, low, net.low);
        message_set_finite(message->net, high, net.high);
        floor->below |= !((isfinite(net.low) ? net.low : net.point) > 0);
        floor->within_loop = !(message->point > QUANTITY_WITHIN_LOOP * (message->point - net.point));
        return error_trace(summary_report(&quantity->loop, arena, &message->loop));
}

int quantity_report(Quantity *quantity, Arena *arena, Benchd__Quantity **ret_message, QuantityFloor *ret_floor) {
        Benchd__Quantity *message = message_new(arena, Benchd__Quantity, benchd__quantity);
        QuantityFloor floor = {};
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
        floor.below = !positive;
        r = report_loop(quantity, arena, message, &floor);
        if (r == 0)
                r = summary_report(&quantity->all, arena, &message->raw);
        if (r == 0)
                r = summary_report(&quantity->undisturbed, arena, &message->undisturbed);
        if (r)
                return error_trace(r);
        *ret_message = message;
        *ret_floor = floor;
        return 0;
}

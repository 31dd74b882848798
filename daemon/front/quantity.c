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
        pool_deinit(&quantity->undisturbed);
        pool_deinit(&quantity->disturbed);
        pool_deinit(&quantity->loop);
        free(quantity->undisturbed_now.values);
        free(quantity->disturbed_now.values);
        free(quantity->loop_now.values);
        free(quantity->headline.values);
        free(quantity->medians);
        free(quantity->nets);
        *quantity = (Quantity){};
}

static int samples_begin(QuantitySamples *samples, size_t n) {
        double *values = realloc(samples->values, (n + 1) * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        *samples = (QuantitySamples){ .values = values };
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

        r = samples_begin(&quantity->undisturbed_now, n_samples);
        if (r == 0)
                r = samples_begin(&quantity->disturbed_now, n_samples);
        if (r == 0)
                r = samples_begin(&quantity->headline, n_samples);
        if (r == 0)
                r = samples_begin(&quantity->loop_now, n_loop_samples);
        if (r == 0)
                r = medians_reserve(&quantity->medians, quantity->n_processes + 1);
        if (r == 0)
                r = medians_reserve(&quantity->nets, quantity->n_processes + 1);
        return error_trace(r);
}

static void samples_add(QuantitySamples *samples, double value) {
        samples->values[samples->n++] = value;
}

void quantity_add(Quantity *quantity, double value, bool undisturbed) {
        samples_add(undisturbed ? &quantity->undisturbed_now : &quantity->disturbed_now, value);
}

void quantity_add_loop(Quantity *quantity, double value) {
        samples_add(&quantity->loop_now, value);
}

static bool undisturbed_suffice(size_t n_undisturbed, size_t n_disturbed) {
        return n_undisturbed >= QUANTITY_UNDISTURBED_MIN && n_undisturbed >= n_disturbed;
}

/* The samples of the process under way that it is judged by. */
static void quantity_set_headline(Quantity *quantity) {
        QuantitySamples *undisturbed = &quantity->undisturbed_now, *disturbed = &quantity->disturbed_now;
        QuantitySamples *headline = &quantity->headline;

        headline->n = undisturbed->n;
        memcpy(headline->values, undisturbed->values, undisturbed->n * sizeof *headline->values);
        if (undisturbed_suffice(undisturbed->n, disturbed->n))
                return;
        memcpy(headline->values + headline->n, disturbed->values, disturbed->n * sizeof *headline->values);
        headline->n += disturbed->n;
        values_sort(headline->values, headline->n);
}

static double samples_median(const QuantitySamples *sorted) {
        return sorted->n > 0 ? quantile_sorted(sorted->values, sorted->n, 0.5) : NAN;
}

static int samples_pool(QuantitySamples *samples, Pool *pool) {
        values_sort(samples->values, samples->n);
        return error_trace(pool_add(pool, samples->values, samples->n));
}

int quantity_end_process(Quantity *quantity, double *ret_median) {
        double median;
        int r;

        r = samples_pool(&quantity->undisturbed_now, &quantity->undisturbed);
        if (r == 0)
                r = samples_pool(&quantity->disturbed_now, &quantity->disturbed);
        if (r == 0)
                r = samples_pool(&quantity->loop_now, &quantity->loop);
        if (r)
                return error_trace(r);
        quantity_set_headline(quantity);
        median = samples_median(&quantity->headline);
        quantity->nets[quantity->n_processes] = median - samples_median(&quantity->loop_now);
        quantity->medians[quantity->n_processes++] = median;
        *ret_median = median;
        return 0;
}

size_t quantity_count(const Quantity *quantity) {
        return quantity->undisturbed.n + quantity->disturbed.n;
}

bool quantity_is_undisturbed(const Quantity *quantity) {
        return undisturbed_suffice(quantity->undisturbed.n, quantity->disturbed.n);
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

static int summary_report(const Pool *const *pools, size_t n_pools, Arena *arena, Benchd__Summary **ret_summary) {
        Benchd__Summary *summary;
        SampleSummary of;
        int r;

        r = pools_summarize(pools, n_pools, &of);
        if (r == SUMMARY_E_EMPTY)
                return 0;
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
        message_set_finite(summary, within_1sd, of.within_1sd);
        message_set_finite(summary, within_2sd, of.within_2sd);
        message_set_finite(summary, median_low, of.median_low);
        message_set_finite(summary, median_high, of.median_high);
        *ret_summary = summary;
        return 0;
}

/* Adds what the empty loop took, where every process timed one. */
static int report_loop(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity *message,
                QuantityFloor *floor) {
        const Pool *loop = &quantity->loop;
        MeanInterval net;
        int r;

        if (!all_finite(quantity->nets, quantity->n_processes))
                return 0;
        r = mean_interval(quantity->nets, quantity->n_processes, QUANTITY_CONFIDENCE, &net);
        if (r)
                return error_fold(r);
        net = interval_of_at_least(net, 2 * step);
        message->net = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->net)
                return error_origin(-ENOMEM);
        message_set_finite(message->net, point, net.point);
        message_set_finite(message->net, low, net.low);
        message_set_finite(message->net, high, net.high);
        floor->below |= !((isfinite(net.low) ? net.low : net.point) > 0);
        floor->within_loop = !(message->point > QUANTITY_WITHIN_LOOP * (message->point - net.point));
        return error_trace(summary_report(&loop, 1, arena, &message->loop));
}

int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor) {
        const Pool *all[] = { &quantity->undisturbed, &quantity->disturbed };
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
        interval = interval_of_at_least(interval, step);
        message_set_finite(message, point, interval.point);
        message_set_finite(message, low, interval.low);
        message_set_finite(message, high, interval.high);
        floor.below = !positive;
        r = report_loop(quantity, step, arena, message, &floor);
        if (r == 0)
                r = summary_report(all, 2, arena, &message->raw);
        if (r == 0)
                r = summary_report(all, 1, arena, &message->undisturbed);
        if (r)
                return error_trace(r);
        *ret_message = message;
        *ret_floor = floor;
        return 0;
}

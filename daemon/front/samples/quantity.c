/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/plan/effort.h"
#include "stats/autocorrelation.h"
#include "stats/interval.h"
#include "stats/quantile.h"
#include "stats/summary.h"
#include "stats/views.h"
#include "util/cleanup.h"
#include "util/error.h"

#define QUANTITY_CONFIDENCE 0.95

/*
 * An iteration takes whole cycles. The loop takes one; a body that alone takes as much, or less, may hide behind it or not. The
 * shortest that does not takes two: halfway between.
 */
#define QUANTITY_WITHIN_LOOP 1.5

/* A time of more loops than this is not the harness's, however far apart its processes lie. */
#define QUANTITY_FLOOR_LOOPS 10

/* Quiet samples are too few under half and under EFFORT_QUIET_MIN. */
SampleClass quantity_rule(const size_t n[static _SAMPLE_CLASS_N]) {
        const size_t n_undisturbed = n[SAMPLE_CLASS_UNDISTURBED], n_quiet = n_undisturbed + n[SAMPLE_CLASS_QUIET];
        const size_t n_all = n_quiet + n[SAMPLE_CLASS_SHARED] + n[SAMPLE_CLASS_TAKEN];

        if (n_quiet == 0 || (n_quiet < EFFORT_QUIET_MIN && 2 * n_quiet < n_all))
                return SAMPLE_CLASS_TAKEN;
        return n_undisturbed >= QUANTITY_UNDISTURBED_MIN && 2 * n_undisturbed >= n_quiet ? SAMPLE_CLASS_UNDISTURBED
                                                                                         : SAMPLE_CLASS_QUIET;
}

bool quantity_suffice(size_t n_quiet, size_t n_processes) {
        return n_quiet > 0 && (n_quiet >= INTERVAL_N_MIN || n_quiet == n_processes);
}

void quantity_deinit(Quantity *quantity) {
        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++) {
                pool_deinit(&quantity->pools[i]);
                free(quantity->now[i].values);
        }
        pool_deinit(&quantity->loop);
        free(quantity->loop_now.values);
        free(quantity->loop_busy.values);
        free(quantity->headline.values);
        free(quantity->processes);
        *quantity = (Quantity){};
}

/* ---- the process under way */

static int samples_begin(QuantitySamples *samples, size_t n) {
        double *values = realloc(samples->values, (n + 1) * sizeof *values);

        if (!values)
                return error_origin(-ENOMEM);
        *samples = (QuantitySamples){ .values = values };
        return 0;
}

int quantity_reserve(Quantity *quantity, size_t n_samples, size_t n_loop_samples) {
        QuantityProcess *processes;
        int r;

        r = samples_begin(&quantity->headline, n_samples);
        for (size_t i = 0; r == 0 && i < _SAMPLE_CLASS_N; i++)
                r = samples_begin(&quantity->now[i], n_samples);
        if (r == 0)
                r = samples_begin(&quantity->loop_now, n_loop_samples);
        if (r == 0)
                r = samples_begin(&quantity->loop_busy, n_loop_samples);
        if (r)
                return error_trace(r);
        processes = reallocarray(quantity->processes, quantity->n_processes + 1, sizeof *processes);
        if (!processes)
                return error_origin(-ENOMEM);
        quantity->processes = processes;
        return 0;
}

static void samples_add(QuantitySamples *samples, double value) {
        samples->values[samples->n++] = value;
}

void quantity_add(Quantity *quantity, double value, SampleClass class) {
        samples_add(&quantity->now[class], value);
}

/* A neighbour slows the empty loop most: a loop beside one would be taken off a body that was alone. */
void quantity_add_loop(Quantity *quantity, double value, SampleClass class) {
        samples_add(class <= SAMPLE_CLASS_QUIET ? &quantity->loop_now : &quantity->loop_busy, value);
}

/* The median over all classes, each of which is in rising order. */
static double now_median(const Quantity *quantity) {
        View parts[_SAMPLE_CLASS_N];
        Views views = { .views = parts };

        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++) {
                const QuantitySamples *samples = &quantity->now[i];

                if (samples->n > 0)
                        parts[views.n++] = (View){ .first = samples->values, .step = 1, .n = samples->n };
                views.n_values += samples->n;
        }
        return views.n_values > 0 ? views_quantile(&views, 0.5) : NAN;
}

/* The samples of the process under way that it is judged by. */
static void quantity_set_headline(Quantity *quantity) {
        QuantitySamples *headline = &quantity->headline;
        size_t n[_SAMPLE_CLASS_N], n_parts = 0;

        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++)
                n[i] = quantity->now[i].n;
        quantity->headline_class = quantity_rule(n);
        headline->n = 0;
        for (size_t i = 0; i <= quantity->headline_class; i++) {
                memcpy(headline->values + headline->n, quantity->now[i].values, n[i] * sizeof *headline->values);
                headline->n += n[i];
                n_parts += n[i] > 0;
        }
        if (n_parts > 1)
                values_sort(headline->values, headline->n);
}

static double samples_median(const QuantitySamples *sorted) {
        return sorted->n > 0 ? quantile_sorted(sorted->values, sorted->n, 0.5) : NAN;
}

static int samples_pool(QuantitySamples *samples, Pool *pool) {
        values_sort(samples->values, samples->n);
        return error_trace(pool_add(pool, samples->values, samples->n));
}

int quantity_end_process(Quantity *quantity, QuantityProcess *ret_process) {
        QuantityProcess *process = &quantity->processes[quantity->n_processes];
        int r;

        r = samples_pool(&quantity->loop_now, &quantity->loop);
        if (r == 0)
                r = samples_pool(&quantity->loop_busy, &quantity->loop);
        for (size_t i = 0; r == 0 && i < _SAMPLE_CLASS_N; i++)
                r = samples_pool(&quantity->now[i], &quantity->pools[i]);
        if (r)
                return error_trace(r);
        quantity_set_headline(quantity);
        *process = (QuantityProcess){
                .quiet = quantity->headline_class <= SAMPLE_CLASS_QUIET ? samples_median(&quantity->headline) : NAN,
                .all = now_median(quantity),
                .loop = samples_median(&quantity->loop_now),
        };
        quantity->n_quiet += isfinite(process->quiet);
        quantity->n_processes++;
        *ret_process = *process;
        return 0;
}

/* ---- all of them */

size_t quantity_count(const Quantity *quantity) {
        size_t n = 0;

        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++)
                n += quantity->pools[i].n;
        return n;
}

bool quantity_is_known(const Quantity *quantity) {
        for (size_t i = 0; i < quantity->n_processes; i++)
                if (!isfinite(quantity->processes[i].all))
                        return false;
        return quantity->n_processes > 0;
}

bool quantity_is_alone(const Quantity *quantity) {
        return quantity_suffice(quantity->n_quiet, quantity->n_processes);
}

static double process_median(const QuantityProcess *process, bool alone) {
        return alone ? process->quiet : process->all;
}

size_t quantity_medians(const Quantity *quantity, double *ret_medians) {
        const bool alone = quantity_is_alone(quantity);
        size_t n = 0;

        for (size_t i = 0; i < quantity->n_processes; i++) {
                double median = process_median(&quantity->processes[i], alone);

                if (isfinite(median))
                        ret_medians[n++] = median;
        }
        return n;
}

/* The medians less those of their empty loops, of processes that timed one. */
static size_t quantity_nets(const Quantity *quantity, double *ret_nets) {
        const bool alone = quantity_is_alone(quantity);
        size_t n = 0;

        for (size_t i = 0; i < quantity->n_processes; i++) {
                double net = process_median(&quantity->processes[i], alone) - quantity->processes[i].loop;

                if (isfinite(net))
                        ret_nets[n++] = net;
        }
        return n;
}

/* The pools whose samples stand for all, by the rule for a process; returns how many. */
static size_t headline_pools(const Quantity *quantity, const Pool *ret_pools[static _SAMPLE_CLASS_N]) {
        size_t n[_SAMPLE_CLASS_N];

        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++) {
                ret_pools[i] = &quantity->pools[i];
                n[i] = ret_pools[i]->n;
        }
        return quantity_is_alone(quantity) ? quantity_rule(n) + 1 : _SAMPLE_CLASS_N;
}

int quantity_summarize(const Quantity *quantity, SampleSummary *ret_summary) {
        const Pool *pools[_SAMPLE_CLASS_N];
        int r;

        r = pool_summarize(pools, headline_pools(quantity, pools), ret_summary);
        return r == SUMMARY_E_EMPTY ? r : error_trace(r);
}

/* The headline with its interval, and the factor that widened it. */
typedef struct Headline {
        MeanInterval interval;
        double widening;
        bool positive; /* every median has a logarithm */
        size_t n;      /* medians */
} Headline;

static int headline_of(const double *medians, size_t n, Headline *ret_headline) {
        Headline headline = { .n = n };
        double lag1;
        int r;

        r = interval_of_log_mean(medians, n, QUANTITY_CONFIDENCE, &headline.interval);
        headline.positive = r != INTERVAL_E_NOT_POSITIVE;
        if (r == INTERVAL_E_NOT_POSITIVE)
                r = interval_of_mean(medians, n, QUANTITY_CONFIDENCE, &headline.interval);
        if (r == 0)
                r = autocorrelation_of_logs(medians, n, &lag1);
        if (r)
                return error_fold(r);
        headline.widening = autocorrelation_widening(lag1, n);
        headline.interval = interval_widened(headline.interval, headline.widening, headline.positive);
        *ret_headline = headline;
        return 0;
}

static int summary_report(const Pool *const *pools, size_t n_pools, Arena *arena, Benchd__Summary **ret_summary) {
        Benchd__Summary *summary;
        SampleSummary of;
        int r;

        r = pool_summarize(pools, n_pools, &of);
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

/* Adds the cost of the empty loop, if as many processes timed one as an interval takes, or all. */
static int report_loop(const Quantity *quantity, const Headline *headline, double step, double *work, Arena *arena,
                Benchd__Quantity *message, QuantityFloor *floor) {
        const size_t n = quantity_nets(quantity, work);
        const Pool *loop = &quantity->loop;
        double of_loop;
        MeanInterval net;
        int r;

        if (!quantity_suffice(n, headline->n))
                return 0;
        r = interval_of_mean(work, n, QUANTITY_CONFIDENCE, &net);
        if (r)
                return error_fold(r);
        net = interval_of_at_least(interval_widened(net, headline->widening, false), 2 * step);
        message->net = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->net)
                return error_origin(-ENOMEM);
        message_set_finite(message->net, point, net.point);
        message_set_finite(message->net, low, net.low);
        message_set_finite(message->net, high, net.high);
        of_loop = message->point - net.point;
        floor->below |= !((isfinite(net.low) ? net.low : net.point) > 0) &&
                        !(message->point > QUANTITY_FLOOR_LOOPS * of_loop);
        floor->within_loop = !(message->point > QUANTITY_WITHIN_LOOP * of_loop);
        return error_trace(summary_report(&loop, 1, arena, &message->loop));
}

static int report_histogram(const Quantity *quantity, Arena *arena, Benchd__Quantity *message) {
        Benchd__Histogram *histogram = message_new(arena, Benchd__Histogram, benchd__histogram);
        const Pool *pools[_SAMPLE_CLASS_N];
        Histogram of;
        int r;

        r = pool_histogram(pools, headline_pools(quantity, pools), &of);
        if (r)
                return r == SUMMARY_E_EMPTY ? 0 : error_trace(r);
        if (!histogram || !(histogram->counts = arena_zero(arena, of.n_bins * sizeof *histogram->counts)))
                return error_origin(-ENOMEM);
        message_set_finite(histogram, low, of.low);
        message_set_finite(histogram, high, of.high);
        for (size_t i = 0; i < of.n_bins; i++)
                histogram->counts[histogram->n_counts++] = of.counts[i];
        message_set(histogram, below, of.n_below);
        message_set(histogram, above, of.n_above);
        message->histogram = histogram;
        return 0;
}

static int report_summaries(const Quantity *quantity, Arena *arena, Benchd__Quantity *message) {
        const Pool *all[_SAMPLE_CLASS_N];
        int r;

        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++)
                all[i] = &quantity->pools[i];
        r = summary_report(all, _SAMPLE_CLASS_N, arena, &message->raw);
        if (r == 0)
                r = summary_report(&all[SAMPLE_CLASS_UNDISTURBED], 1, arena, &message->undisturbed);
        if (r == 0)
                r = summary_report(&all[SAMPLE_CLASS_SHARED], 1, arena, &message->while_shared);
        if (r == 0)
                r = report_histogram(quantity, arena, message);
        return error_trace(r);
}

int quantity_report(const Quantity *quantity, double step, Arena *arena, Benchd__Quantity **ret_message,
                QuantityFloor *ret_floor) {
        _cleanup_(freep) double *work = malloc((quantity->n_processes + 1) * sizeof *work);
        Benchd__Quantity *message = message_new(arena, Benchd__Quantity, benchd__quantity);
        QuantityFloor floor = {};
        Headline headline = {};
        int r;

        if (!message || !work)
                return error_origin(-ENOMEM);
        r = headline_of(work, quantity_medians(quantity, work), &headline);
        if (r)
                return error_trace(r);
        headline.interval = interval_of_at_least(headline.interval, step);
        message_set_finite(message, point, headline.interval.point);
        message_set_finite(message, low, headline.interval.low);
        message_set_finite(message, high, headline.interval.high);
        floor.below = !headline.positive;
        r = report_loop(quantity, &headline, step, work, arena, message, &floor);
        if (r == 0)
                r = report_summaries(quantity, arena, message);
        if (r)
                return error_trace(r);
        *ret_message = message;
        *ret_floor = floor;
        return 0;
}

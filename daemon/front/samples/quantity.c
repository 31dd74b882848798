/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/samples/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/message.h"
#include "front/plan/effort.h"
#include "stats/autocorrelation.h"
#include "stats/interval.h"
#include "stats/pool.h"
#include "stats/quantile.h"
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
        const size_t n_all = n_quiet + n[SAMPLE_CLASS_SHARED] + n[SAMPLE_CLASS_BESIDE] + n[SAMPLE_CLASS_TAKEN];

        if (n_quiet == 0 || (n_quiet < EFFORT_QUIET_MIN && 2 * n_quiet < n_all))
                return SAMPLE_CLASS_TAKEN;
        return n_undisturbed >= QUANTITY_UNDISTURBED_MIN && n_undisturbed >= QUANTITY_UNDISTURBED_SHARE * n_quiet
                               ? SAMPLE_CLASS_UNDISTURBED
                               : SAMPLE_CLASS_QUIET;
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
                quantile_sort(headline->values, headline->n);
}

static double samples_median(const QuantitySamples *sorted) {
        return sorted->n > 0 ? quantile_sorted(sorted->values, sorted->n, 0.5) : NAN;
}

static int samples_pool(QuantitySamples *samples, Pool *pool) {
        quantile_sort(samples->values, samples->n);
        return error_trace(pool_add(pool, samples->values, samples->n));
}

/*
 * How far the median may lie too high. If the contaminated samples are the slowest, it lies that much lower among the rest; if times spread
 * more widely than a neighbour slows them, it moves by no more than their share of what that costs, by the time while @shared.
 */
static double headline_contaminated(const QuantitySamples *headline, double shared, double contamination) {
        const double median = samples_median(headline);
        const double low = quantile_sorted(headline->values, headline->n, fmax(0, 1 - contamination) / 2);

        if (!(low > 0))
                return 0;
        return isfinite(shared) ? fmin(log(median / low), contamination * log(fmax(1, shared / median)))
                                : log(median / low);
}

int quantity_end_process(Quantity *quantity, const QuantityConditions *conditions, QuantityProcess *ret_process) {
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
                .quiet = NAN,
                .shared = samples_median(&quantity->now[SAMPLE_CLASS_SHARED]),
                .all = now_median(quantity),
                .loop = samples_median(&quantity->loop_now),
                .place = conditions->place,
        };
        if (quantity->headline_class <= SAMPLE_CLASS_QUIET && quantity->headline.n > 0) {
                process->quiet = samples_median(&quantity->headline);
                process->contaminated =
                                headline_contaminated(&quantity->headline, process->shared, conditions->contamination);
        }
        quantity->n_quiet += isfinite(process->quiet);
        quantity->n_shared += isfinite(process->shared);
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

bool quantity_had_company(const Quantity *quantity) {
        const size_t n_company = quantity->pools[SAMPLE_CLASS_SHARED].n + quantity->pools[SAMPLE_CLASS_BESIDE].n;

        return n_company > 0 && n_company >= quantity->pools[SAMPLE_CLASS_TAKEN].n;
}

void quantity_be_of(Quantity *quantity, QuantityMeasurand measurand) {
        quantity->is_given = true;
        quantity->given = measurand;
}

QuantityMeasurand quantity_measurand(const Quantity *quantity) {
        const bool company = quantity_had_company(quantity);

        if (quantity->is_given)
                return quantity->given;
        if (quantity->n_quiet > 0 &&
                        (company || quantity->n_quiet >= INTERVAL_N_MIN || quantity->n_quiet == quantity->n_processes))
                return MEASURAND_ALONE;
        return company && quantity->n_shared > 0 ? MEASURAND_SHARED : MEASURAND_ALL;
}

double quantity_process_median(const QuantityProcess *process, QuantityMeasurand measurand) {
        switch (measurand) {
        case MEASURAND_ALONE:
                return process->quiet;
        case MEASURAND_SHARED:
                return process->shared;
        default:
                return process->all;
        }
}

/* Those of @measurand; of processes that timed an empty loop where @with_loop, whose medians go into @ret_loops. */
static size_t medians_of(const Quantity *quantity, QuantityMeasurand measurand, double *ret_medians,
                uint32_t *ret_places, double *ret_loops) {
        size_t n = 0;

        for (size_t i = 0; i < quantity->n_processes; i++) {
                const QuantityProcess *process = &quantity->processes[i];
                const double median = quantity_process_median(process, measurand);

                if (!isfinite(median) || (ret_loops && !isfinite(process->loop)))
                        continue;
                if (ret_loops)
                        ret_loops[n] = process->loop;
                if (ret_places)
                        ret_places[n] = process->place;
                ret_medians[n++] = median;
        }
        return n;
}

bool quantity_has_headline(const Quantity *quantity) {
        const QuantityMeasurand measurand = quantity_measurand(quantity);

        for (size_t i = 0; i < quantity->n_processes; i++)
                if (isfinite(quantity_process_median(&quantity->processes[i], measurand)))
                        return true;
        return false;
}

size_t quantity_medians(const Quantity *quantity, double *ret_medians, uint32_t *ret_places) {
        return medians_of(quantity, quantity_measurand(quantity), ret_medians, ret_places, NULL);
}

double quantity_contaminated(const Quantity *quantity) {
        double sum = 0;

        if (quantity_measurand(quantity) != MEASURAND_ALONE)
                return 0;
        for (size_t i = 0; i < quantity->n_processes; i++)
                sum += quantity->processes[i].contaminated;
        return quantity->n_quiet > 0 ? fmax(0, sum / quantity->n_quiet) : 0;
}

/* The pools that represent all samples, by the rule for a process; returns their number. */
static size_t headline_pools(const Quantity *quantity, const Pool *ret_pools[static _SAMPLE_CLASS_N]) {
        const QuantityMeasurand measurand = quantity_measurand(quantity);
        size_t n[_SAMPLE_CLASS_N];

        if (measurand == MEASURAND_SHARED) {
                ret_pools[0] = &quantity->pools[SAMPLE_CLASS_SHARED];
                return 1;
        }
        for (size_t i = 0; i < _SAMPLE_CLASS_N; i++) {
                ret_pools[i] = &quantity->pools[i];
                n[i] = ret_pools[i]->n;
        }
        if (measurand == MEASURAND_ALL)
                return _SAMPLE_CLASS_N;
        return quantity_rule(n) == SAMPLE_CLASS_UNDISTURBED ? 1 : SAMPLE_CLASS_QUIET + 1;
}

int quantity_summarize(const Quantity *quantity, PoolSummary *ret_summary) {
        const Pool *pools[_SAMPLE_CLASS_N];
        int r;

        r = pool_summarize(pools, headline_pools(quantity, pools), ret_summary);
        return r == POOL_E_EMPTY ? r : error_trace(r);
}

/* The headline with its interval, and the factor that widened it. */
typedef struct Headline {
        Interval interval;
        double widening;
        bool positive; /* every median has a logarithm */
        size_t n;      /* medians */
} Headline;

static int headline_of(const double *medians, const uint32_t *places, size_t n, Headline *ret_headline) {
        Headline headline = { .n = n };
        AutocorrelationLag succession;
        int r;

        r = interval_of_logs(medians, places, n, QUANTITY_CONFIDENCE, &headline.interval);
        headline.positive = r != INTERVAL_E_NOT_POSITIVE;
        if (r == INTERVAL_E_NOT_POSITIVE)
                r = interval_of_mean(medians, places, n, QUANTITY_CONFIDENCE, &headline.interval);
        if (r == 0)
                r = autocorrelation_of_logs(medians, places, n, &succession);
        if (r)
                return error_fold(r);
        headline.widening = autocorrelation_widening(&succession);
        headline.interval = interval_widened(headline.interval, headline.widening, headline.positive);
        *ret_headline = headline;
        return 0;
}

static int summary_report(const Pool *const *pools, size_t n_pools, Arena *arena, Benchd__Summary **ret_summary) {
        Benchd__Summary *summary;
        PoolSummary of;
        int r;

        r = pool_summarize(pools, n_pools, &of);
        if (r == POOL_E_EMPTY)
                return 0;
        if (r)
                return error_fold(r);
        summary = message_new(arena, Benchd__Summary, benchd__summary);
        if (!summary)
                return error_origin(-ENOMEM);
        message_set(summary, samples, of.n);
#define REPORT(name) message_set_finite(summary, name, of.name);
        SAMPLE_STATISTICS(REPORT)
#undef REPORT
        *ret_summary = summary;
        return 0;
}

/* Arrays with a place for each process. */
typedef struct QuantityWork {
        double *medians;
        double *loops;
        uint32_t *places;
} QuantityWork;

static void work_deinit(QuantityWork *work) {
        free(work->medians);
        free(work->loops);
        free(work->places);
}

static int work_init(QuantityWork *work, size_t n) {
        *work = (QuantityWork){
                .medians = malloc((n + 1) * sizeof *work->medians),
                .loops = malloc((n + 1) * sizeof *work->loops),
                .places = malloc((n + 1) * sizeof *work->places),
        };
        return work->medians && work->loops && work->places ? 0 : error_origin(-ENOMEM);
}

/* Net is the headline less the mean of the loops of its processes, so never beyond it; the doubt about it is of the differences. */
static int net_of(const Headline *headline, double step, size_t n, QuantityWork *work, Interval *ret_net) {
        Interval loop, net;
        int r;

        r = interval_of_mean(work->loops, work->places, n, QUANTITY_CONFIDENCE, &loop);
        for (size_t i = 0; i < n; i++)
                work->medians[i] -= work->loops[i];
        if (r == 0)
                r = interval_of_mean(work->medians, work->places, n, QUANTITY_CONFIDENCE, &net);
        if (r)
                return error_fold(r);
        *ret_net = interval_of_at_least(interval_widened(interval_moved(net, headline->interval.point - loop.point),
                                                        headline->widening, false),
                        2 * step);
        return 0;
}

/* Adds the cost of the empty loop, if as many processes timed one as an interval takes, or all. */
static int report_loop(const Quantity *quantity, const Headline *headline, double step, QuantityWork *work,
                Arena *arena, Benchd__Quantity *message, QuantityFloor *floor) {
        const size_t n = medians_of(quantity, quantity_measurand(quantity), work->medians, work->places, work->loops);
        const Pool *loop = &quantity->loop;
        Interval net;
        double of_loop;
        int r;

        if (n == 0 || (n < INTERVAL_N_MIN && n < headline->n))
                return 0;
        r = net_of(headline, step, n, work, &net);
        if (r)
                return error_trace(r);
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

/* The time while shared of the processes that have one, whatever the headline is of. */
static int report_shared(const Quantity *quantity, QuantityWork *work, Arena *arena, Benchd__Quantity *message) {
        const size_t n = medians_of(quantity, MEASURAND_SHARED, work->medians, work->places, NULL);
        Headline shared;
        int r;

        if (n == 0)
                return 0;
        r = headline_of(work->medians, work->places, n, &shared);
        if (r)
                return error_trace(r);
        message->shared = message_new(arena, Benchd__Interval, benchd__interval);
        if (!message->shared)
                return error_origin(-ENOMEM);
        message_set_finite(message->shared, point, shared.interval.point);
        message_set_finite(message->shared, low, shared.interval.low);
        message_set_finite(message->shared, high, shared.interval.high);
        return 0;
}

static int report_histogram(const Quantity *quantity, Arena *arena, Benchd__Quantity *message) {
        Benchd__Histogram *histogram = message_new(arena, Benchd__Histogram, benchd__histogram);
        const Pool *pools[_SAMPLE_CLASS_N];
        PoolHistogram of;
        int r;

        r = pool_histogram(pools, headline_pools(quantity, pools), &of);
        if (r)
                return r == POOL_E_EMPTY ? 0 : error_trace(r);
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
        Benchd__Quantity *message = message_new(arena, Benchd__Quantity, benchd__quantity);
        _cleanup_(work_deinit) QuantityWork work = {};
        QuantityFloor floor = {};
        Headline headline = {};
        int r;

        r = message ? work_init(&work, quantity->n_processes) : error_origin(-ENOMEM);
        if (r == 0)
                r = headline_of(work.medians, work.places, quantity_medians(quantity, work.medians, work.places),
                                &headline);
        if (r)
                return error_trace(r);
        headline.interval = interval_of_at_least(headline.interval, step);
        message_set_finite(message, point, headline.interval.point);
        message_set_finite(message, low,
                        headline.interval.low + fabs(headline.interval.low) * expm1(-quantity_contaminated(quantity)));
        message_set_finite(message, high, headline.interval.high);
        floor.below = !headline.positive;
        r = report_loop(quantity, &headline, step, &work, arena, message, &floor);
        if (r == 0)
                r = report_shared(quantity, &work, arena, message);
        if (r == 0)
                r = report_summaries(quantity, arena, message);
        if (r)
                return error_trace(r);
        *ret_message = message;
        *ret_floor = floor;
        return 0;
}

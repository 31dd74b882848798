/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rates.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "independent.h"
#include "rank-test.h"
#include "scenario.h"
#include "stats/autocorrelation.h"
#include "stats/comparison.h"
#include "stats/drift.h"
#include "stats/interval.h"
#include "stats/modes.h"
#include "stats/quantile.h"
#include "util/cleanup.h"
#include "util/error.h"

#define TRUTH_FACTOR 20 /* processes behind a truth for each draw, so that its own error does not count */

static const ComparisonRule at_margin_0 = { .confidence = 0.95 };

/* One side of a run. */
typedef struct Side {
        double *samples; /* of all processes, one after another */
        double *medians; /* of the processes */
        double *logs;    /* of those */
} Side;

static void side_deinit(Side *side) {
        free(side->samples);
        free(side->medians);
        free(side->logs);
}

static int side_init(const Simulation *simulation, Side *side) {
        side->samples = calloc(simulation->n_processes * simulation->n_samples, sizeof(double));
        side->medians = calloc(simulation->n_processes, sizeof(double));
        side->logs = calloc(simulation->n_processes, sizeof(double));
        return side->samples && side->medians && side->logs ? 0 : error_origin(-ENOMEM);
}

/* The place of process @i in a run, from 0 to 1. */
static double place(const Simulation *simulation, size_t i) {
        return simulation->n_processes > 1 ? (double)i / (simulation->n_processes - 1) : 0;
}

/* Process @i of @side runs, and is reduced to its median. */
static void side_run(const Simulation *simulation, const Scenario *scenario, size_t i, double level, Side *side) {
        double *samples = side->samples + i * simulation->n_samples;

        scenario_samples(scenario, simulation->random, level, samples, simulation->n_samples);
        side->medians[i] = quantile_median(samples, simulation->n_samples);
        side->logs[i] = log(side->medians[i]);
}

/* The result of endless processes: the mean of the logs of their medians. */
static double truth_of(const Simulation *simulation, const Scenario *scenario, Side *side) {
        size_t n_rounds = TRUTH_FACTOR * simulation->n_draws / simulation->n_processes + 1;
        double sum = 0;

        for (size_t round = 0; round < n_rounds; round++) {
                double wander = NAN;

                for (size_t i = 0; i < simulation->n_processes; i++) {
                        double level = scenario_level(scenario, simulation->random, place(simulation, i), &wander);

                        side_run(simulation, scenario, i, level, side);
                        sum += side->logs[i];
                }
        }
        return exp(sum / (n_rounds * simulation->n_processes));
}

/* Half of the 95 % interval of the mean of @logs by what they deviate from the straight line through them, in time order. */
static double lineless_half(const double *logs, size_t n) {
        double mean = gsl_stats_mean(logs, 1, n), squares = 0, product = 0, places = 0;

        for (size_t i = 0; i < n; i++) {
                double from_middle = i - (n - 1) / 2.0, deviation = logs[i] - mean;

                squares += deviation * deviation;
                product += from_middle * deviation;
                places += from_middle * from_middle;
        }
        squares = fmax(squares - product * product / places, 0);
        return gsl_cdf_tdist_Pinv(0.975, n - 2) * sqrt(squares / (n - 2) / n);
}

/* The interval of one run, and what it is said to consist of. */
static int count_interval(const Simulation *simulation, const Scenario *scenario, double truth, Side *side,
                RunRates *counts) {
        size_t n = simulation->n_processes, n_slow = 0;
        double wander = NAN;
        Interval interval;
        AutocorrelationLag succession;
        Modes modes;
        int r;

        for (size_t i = 0; i < n; i++) {
                double level = scenario_level(scenario, simulation->random, place(simulation, i), &wander);

                n_slow += scenario->slow_share > 0 && level > (1 + scenario->slow_factor) / 2;
                side_run(simulation, scenario, i, level, side);
        }
        r = interval_of_logs(side->medians, NULL, n, 0.95, &interval);
        if (r == 0)
                r = autocorrelation_of_logs(side->medians, NULL, n, &succession);
        if (r)
                return error_fold(r);
        counts->unwidened += interval.low <= truth && truth <= interval.high;
        interval = interval_widened(interval, autocorrelation_widening(&succession), true);
        quantile_sort(side->medians, n);
        r = modes_find(side->medians, n, &modes_of_processes, &modes);
        if (r)
                return error_fold(r);
        counts->covered += interval.low <= truth && truth <= interval.high;
        counts->half_width += log(interval.high / interval.low) / 2;
        counts->lineless += fabs(log(interval.point / truth)) <= lineless_half(side->logs, n);
        counts->modes += modes.n > 1;
        counts->none_slow += n_slow == 0;
        return 0;
}

/* Both sides in each process, which has one level. */
static int count_paired(const Simulation *simulation, const Scenario *scenario, Side *sides, RunRates *counts) {
        size_t n = simulation->n_processes;
        double wander = NAN;
        Comparison comparison;
        int r;

        for (size_t i = 0; i < n; i++) {
                double level = scenario_level(scenario, simulation->random, place(simulation, i), &wander);

                side_run(simulation, scenario, i, level, &sides[0]);
                side_run(simulation, scenario, i, level, &sides[1]);
                sides[1].logs[i] -= sides[0].logs[i];
        }
        r = comparison_paired(sides[1].logs, NULL, n, &at_margin_0, &comparison);
        if (r)
                return error_fold(r);
        counts->paired += comparison.verdict != COMPARISON_UNRESOLVED;
        return 0;
}

/* All of one side, then all of the other: what rises over a run goes on rising. */
static int count_independent(const Simulation *simulation, const Scenario *scenario, Side *sides, RunRates *counts) {
        size_t n = simulation->n_processes, n_pooled = n * simulation->n_samples;
        double wander = NAN;
        Comparison comparison;
        RankTest ranks;
        int r;

        for (size_t i = 0; i < 2 * n; i++) {
                double level = scenario_level(scenario, simulation->random, place(simulation, i), &wander);

                side_run(simulation, scenario, i % n, level, &sides[i / n]);
        }
        r = independent_compare(&(IndependentSide){ sides[0].logs, n }, &(IndependentSide){ sides[1].logs, n },
                        &at_margin_0, &comparison);
        if (r)
                return error_fold(r);
        r = rank_test(sides[0].samples, n_pooled, sides[1].samples, n_pooled, &ranks);
        if (r)
                return error_fold(r);
        counts->independent += comparison.verdict != COMPARISON_UNRESOLVED;
        counts->pooled += ranks.p_value < 0.05;
        return 0;
}

static RunRates counts_shared(const RunRates *counts, double n) {
        return (RunRates){
                .covered = counts->covered / n,
                .unwidened = counts->unwidened / n,
                .half_width = counts->half_width / n,
                .lineless = counts->lineless / n,
                .paired = counts->paired / n,
                .independent = counts->independent / n,
                .pooled = counts->pooled / n,
                .modes = counts->modes / n,
                .none_slow = counts->none_slow / n,
        };
}

static int runs_count(const Simulation *simulation, const Scenario *scenario, Side *sides, RunRates *counts) {
        double truth = truth_of(simulation, scenario, &sides[0]);
        int r = 0;

        for (size_t draw = 0; draw < simulation->n_draws && r == 0; draw++) {
                r = count_interval(simulation, scenario, truth, &sides[0], counts);
                if (r == 0)
                        r = count_paired(simulation, scenario, sides, counts);
                if (r == 0)
                        r = count_independent(simulation, scenario, sides, counts);
        }
        return r;
}

int run_rates(const Simulation *simulation, const Scenario *scenario, RunRates *ret_rates) {
        _cleanup_(side_deinit) Side old = {}, new = {};
        RunRates counts = {};
        int r;

        r = side_init(simulation, &old);
        if (r == 0)
                r = side_init(simulation, &new);
        if (r)
                return error_trace(r);
        r = runs_count(simulation, scenario, (Side[]){ old, new }, &counts);
        if (r)
                return error_trace(r);
        *ret_rates = counts_shared(&counts, simulation->n_draws);
        return 0;
}

static int modes_named(double *values, size_t n, const ModesRule *rule, double *counter) {
        Modes modes;
        int r;

        quantile_sort(values, n);
        r = modes_find(values, n, rule, &modes);
        if (r)
                return error_fold(r);
        *counter += modes.n > 1;
        return 0;
}

static int values_count(const Simulation *simulation, const Scenario *scenario, double *values, SampleRates *counts) {
        Drift drift;
        int r;

        scenario_samples(scenario, simulation->random, 1, values, simulation->n_processes);
        r = modes_named(values, simulation->n_processes, &modes_of_processes, &counts->modes_of_processes);
        if (r)
                return error_trace(r);
        scenario_samples(scenario, simulation->random, 1, values, simulation->n_samples);
        r = drift_of(values, simulation->n_samples, &drift);
        if (r)
                return error_fold(r);
        counts->drift += drift.p_value < 0.05;
        return modes_named(values, simulation->n_samples, &modes_of_samples, &counts->modes_of_samples);
}

int sample_rates(const Simulation *simulation, const Scenario *scenario, SampleRates *ret_rates) {
        _cleanup_(freep) double *values = NULL;
        SampleRates counts = {};
        double n = simulation->n_draws;
        int r;

        values = calloc(simulation->n_processes + simulation->n_samples, sizeof *values);
        if (!values)
                return error_origin(-ENOMEM);
        for (size_t draw = 0; draw < simulation->n_draws; draw++) {
                r = values_count(simulation, scenario, values, &counts);
                if (r)
                        return error_trace(r);
        }
        *ret_rates = (SampleRates){ counts.modes_of_processes / n, counts.modes_of_samples / n, counts.drift / n };
        return 0;
}

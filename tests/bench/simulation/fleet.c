/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fleet.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/comparison.h"
#include "stats/machines.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CONFIDENCE 0.95
#define MARGIN     0.005

typedef struct Fleet {
        IntervalLogMean *machines;
        double *processes; /* of all machines */
        size_t n_processes;
        double mean; /* of the machines as they are, which their processes only estimate */
} Fleet;

static void fleet_draw(gsl_rng *random, const FleetScenario *scenario, Fleet *fleet) {
        fleet->n_processes = 0;
        fleet->mean = 0;
        for (size_t i = 0; i < scenario->n_machines; i++) {
                double level = gsl_ran_gaussian(random, scenario->between), *processes;
                size_t n = i == 0 ? scenario->n_first : FLEET_PROCESSES;

                processes = fleet->processes + fleet->n_processes;
                for (size_t j = 0; j < n; j++)
                        processes[j] = level + gsl_ran_gaussian(random, i == 0 ? scenario->noise_first : FLEET_NOISE);
                fleet->machines[i] = (IntervalLogMean){
                        .mean = gsl_stats_mean(processes, 1, n),
                        .error = gsl_stats_sd(processes, 1, n) / sqrt(n),
                        .freedom = n - 1,
                };
                fleet->n_processes += n;
                fleet->mean += level / scenario->n_machines;
        }
}

static bool holds(const Interval *interval, double log_truth) {
        return log(interval->low) <= log_truth && log_truth <= log(interval->high);
}

/* One heap of all processes, as if they were of one machine. */
static IntervalLogMean pooled_mean(const Fleet *fleet) {
        return (IntervalLogMean){
                .mean = gsl_stats_mean(fleet->processes, 1, fleet->n_processes),
                .error = gsl_stats_sd(fleet->processes, 1, fleet->n_processes) / sqrt(fleet->n_processes),
                .freedom = fleet->n_processes - 1,
        };
}

static int count_intervals(const Fleet *fleet, size_t n, FleetRates *counts) {
        IntervalLogMean over, these = machines_mean_of_these(fleet->machines, n), pooled = pooled_mean(fleet);
        Interval over_interval, these_interval, pooled_interval;
        int r;

        r = machines_mean(fleet->machines, n, &over);
        if (r)
                return error_fold(r);
        over_interval = machines_interval(&over, CONFIDENCE, 0);
        these_interval = machines_interval(&these, CONFIDENCE, 0);
        pooled_interval = machines_interval(&pooled, CONFIDENCE, 0);
        counts->missed += !holds(&over_interval, 0);
        counts->half_width += log(over_interval.high / over_interval.low) / 2;
        counts->missed_pooled += !holds(&pooled_interval, 0);
        counts->missed_these += !holds(&these_interval, 0);
        counts->missed_own += !holds(&these_interval, fleet->mean);
        return 0;
}

/* The machines are ratios of a truth on the edge of the margin. */
static int count_verdict(const Fleet *fleet, size_t n, FleetRates *counts) {
        const ComparisonRule rule = { .confidence = CONFIDENCE, .margin = MARGIN };
        Comparison comparison;
        IntervalLogMean over;
        int r;

        r = machines_mean(fleet->machines, n, &over);
        if (r)
                return error_fold(r);
        comparison = comparison_of(&(ComparisonDifference){ over.mean + log1p(MARGIN), over.error, over.freedom, n },
                        &rule);
        counts->slower_at_edge += comparison.verdict == COMPARISON_SLOWER;
        counts->same_at_edge += comparison.verdict == COMPARISON_SAME;
        return 0;
}

static int count_odd(Fleet *fleet, size_t n, FleetRates *counts) {
        MachinesSpread spread;
        int r;

        r = machines_spread(fleet->machines, n, MARGIN, &spread);
        if (r)
                return error_fold(r);
        counts->differ += spread.differ;
        counts->odd += spread.odd != MACHINES_NONE;
        fleet->machines[n - 1].mean += log1p(FLEET_OFF);
        r = machines_spread(fleet->machines, n, MARGIN, &spread);
        counts->odd_found += spread.odd == n - 1;
        return r ? error_fold(r) : 0;
}

static void fleet_deinit(Fleet *fleet) {
        free(fleet->machines);
        free(fleet->processes);
}

int fleet_rates(gsl_rng *random, size_t n_draws, const FleetScenario *scenario, FleetRates *ret_rates) {
        const size_t n_processes = scenario->n_first + (scenario->n_machines - 1) * FLEET_PROCESSES;
        _cleanup_(fleet_deinit) Fleet fleet = {
                .machines = calloc(scenario->n_machines, sizeof *fleet.machines),
                .processes = calloc(n_processes, sizeof *fleet.processes),
        };
        FleetRates counts = {};
        double n = n_draws;
        int r = fleet.machines && fleet.processes ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < n_draws; i++) {
                fleet_draw(random, scenario, &fleet);
                r = count_intervals(&fleet, scenario->n_machines, &counts);
                if (r == 0)
                        r = count_verdict(&fleet, scenario->n_machines, &counts);
                if (r == 0)
                        r = count_odd(&fleet, scenario->n_machines, &counts);
        }
        if (r)
                return error_trace(r);
        *ret_rates = (FleetRates){
                .missed = counts.missed / n,
                .half_width = counts.half_width / n,
                .missed_pooled = counts.missed_pooled / n,
                .missed_these = counts.missed_these / n,
                .missed_own = counts.missed_own / n,
                .slower_at_edge = counts.slower_at_edge / n,
                .same_at_edge = counts.same_at_edge / n,
                .differ = counts.differ / n,
                .odd = counts.odd / n,
                .odd_found = counts.odd_found / n,
        };
        return 0;
}

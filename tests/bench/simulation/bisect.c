/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bisect.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "stats/bisection-choice.h"
#include "stats/bisection.h"
#include "util/cleanup.h"
#include "util/error.h"

#define PROCESSES_MAX 1000u /* of a search: one that needs more ends without an answer */
#define ODD_SHARE     0.05
#define ODD_FACTOR    5
#define BROKEN_RUN    8u

/* A build takes as long as ten pairs of processes. */
static const BisectionCosts costs = { .build_s = 10, .look_s = 1, .process_s = 1 };

/* The truth. */
typedef struct Range {
        const BisectScenario *scenario;
        double *levels; /* of the builds, with their layout */
        bool *broken;
        size_t culprit;
} Range;

static void range_clear(Range *range) {
        free(range->levels);
        free(range->broken);
}

static double draw_layout(gsl_rng *random, const BisectScenario *scenario) {
        const bool odd = scenario->odd && gsl_rng_uniform(random) < ODD_SHARE;

        return gsl_ran_gaussian(random, scenario->layout * (odd ? ODD_FACTOR : 1));
}

static int range_draw(gsl_rng *random, const BisectScenario *scenario, Range *range) {
        const size_t n = scenario->n_commits;

        *range = (Range){
                .scenario = scenario,
                .levels = calloc(n + 1, sizeof *range->levels),
                .broken = calloc(n + 1, sizeof *range->broken),
                .culprit = 1 + gsl_rng_uniform_int(random, n),
        };
        if (!range->levels || !range->broken)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i <= n; i++)
                range->levels[i] = (i >= range->culprit ? log1p(scenario->change) : 0) + draw_layout(random, scenario);
        for (size_t i = 1; i < n; i++) {
                const size_t run = 1 + gsl_rng_uniform_int(random, BROKEN_RUN);

                if (gsl_rng_uniform(random) > 2 * scenario->broken / (BROKEN_RUN + 1))
                        continue;
                for (size_t k = i; k < i + run && k < n; k++)
                        range->broken[k] = true;
                i += run;
        }
        return 0;
}

static void look(gsl_rng *random, const Range *range, Bisection *bisection, size_t commit, size_t n) {
        double values[64] = {};

        for (size_t i = 0; i < n; i++)
                values[i] = range->levels[commit] - range->levels[0] +
                            gsl_ran_gaussian(random, range->scenario->deviation);
        bisection_add(bisection, commit, n, gsl_stats_mean(values, 1, n), gsl_stats_sd(values, 1, n) / sqrt(n), n - 1);
}

/* One search. */
typedef struct Found {
        size_t builds;
        size_t broken;
        size_t processes;
        int end; /* of bisection_choose(): 0 if it took too many processes */
        BisectionBlock block;
        BisectionChange change;
} Found;

static int ends(gsl_rng *random, const Range *range, Bisection *bisection, Found *found) {
        const size_t n = range->scenario->n_commits;

        for (; found->processes < BISECTION_ENDS_MAX; found->processes += BISECTION_ENDS_LOOK) {
                look(random, range, bisection, n, BISECTION_ENDS_LOOK);
                if (bisection_ends_differ(bisection))
                        break;
        }
        found->processes = bisection->commits[n].n_processes;
        return bisection_update(bisection);
}

static int search(gsl_rng *random, const Range *range, Found *found) {
        _cleanup_(bisection_clear) Bisection bisection = {};
        BisectionChoice choice;
        int r;

        r = bisection_init(&bisection, range->scenario->n_commits);
        if (r == 0)
                r = ends(random, range, &bisection, found);
        if (r == 0 && !bisection_ends_differ(&bisection)) {
                found->end = BISECTION_CHOICE_E_NONE;
                return 0;
        }
        while (r == 0 && found->processes < PROCESSES_MAX) {
                found->end = bisection_choose(&bisection, &costs, &choice);
                if (found->end)
                        break;
                found->builds += bisection.commits[choice.commit].state == BISECTION_UNBUILT;
                if (range->broken[choice.commit]) {
                        found->broken++;
                        bisection_set_broken(&bisection, choice.commit);
                        continue;
                }
                look(random, range, &bisection, choice.commit, choice.n_processes);
                found->processes += choice.n_processes;
                r = bisection_update(&bisection);
        }
        if (r)
                return r > 0 ? error_fold(r) : error_trace(r);
        (void)bisection_best(&bisection, &found->block, 1);
        found->change = bisection_change(&bisection, &found->block);
        return 0;
}

static void count(const Range *range, const Found *found, BisectRates *counts) {
        const double off = found->change.mean - log1p(range->scenario->change);
        const bool right = range->scenario->change != 0 && found->block.first <= range->culprit &&
                           range->culprit <= found->block.last;

        counts->builds += found->builds;
        counts->broken += found->broken;
        counts->processes += found->processes;
        counts->none += found->end == BISECTION_CHOICE_E_NONE;
        counts->sure += found->end == BISECTION_CHOICE_E_FOUND;
        if (found->end == BISECTION_CHOICE_E_NONE)
                return;
        counts->claimed += found->block.mass;
        counts->right += right;
        counts->wrong += !right;
        counts->covered += right && fabs(off) < found->change.half;
}

int bisect_rates(gsl_rng *random, size_t n_draws, const BisectScenario *scenario, BisectRates *ret_rates) {
        _cleanup_(freep) double *processes = calloc(n_draws, sizeof *processes);
        BisectRates counts = {};
        const double n = n_draws;

        if (!processes)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_draws; i++) {
                _cleanup_(range_clear) Range range = {};
                Found found = {};
                int r;

                r = range_draw(random, scenario, &range);
                if (r == 0)
                        r = search(random, &range, &found);
                if (r)
                        return error_trace(r);
                count(&range, &found, &counts);
                processes[i] = found.processes;
        }
        gsl_sort(processes, 1, n_draws);
        *ret_rates = (BisectRates){
                .right = counts.right / n,
                .wrong = counts.wrong / n,
                .none = counts.none / n,
                .sure = counts.sure / n,
                .claimed = counts.claimed / fmax(counts.right + counts.wrong, 1),
                .covered = counts.covered / fmax(counts.right, 1),
                .builds = counts.builds / n,
                .broken = counts.broken / n,
                .processes = counts.processes / n,
                .most_processes = gsl_stats_quantile_from_sorted_data(processes, 1, n_draws, 0.95),
        };
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/bisection.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "util/cleanup.h"
#include "util/error.h"

#define ENDS_APART    4 /* standard errors: by chance once in some thousand searches, however often they are looked at */
#define PRIOR_NONE    0.001
#define PRIOR_FREEDOM 2     /* builds that the prior of the layout stands for */
#define ODD_SHARE     0.001 /* of builds, whose layout is off by more */
#define ODD_FACTOR    4     /* ... times as much as that of others */
#define LEVELS        9     /* of the grid for either level */
#define LEVEL_STEP    0.6   /* between them, in deviations of the prior */
#define LEVELS_HALF   (LEVELS / 2)

/* Deviations of layout, and how likely each is beforehand: 0.05 to 0.4 % is usual for builds that differ in a few lines. */
static const struct {
        double deviation;
        double weight;
} layouts[] = {
        { 0.0002, 0.1 },
        { 0.0005, 0.15 },
        { 0.001, 0.25 },
        { 0.002, 0.27 },
        { 0.004, 0.15 },
        { 0.008, 0.06 },
        { 0.016, 0.02 },
};

/* ---- what was measured */

int bisection_init(Bisection *bisection, size_t n) {
        *bisection = (Bisection){ .n = n, .commits = calloc(n + 1, sizeof *bisection->commits) };
        if (!bisection->commits)
                return error_origin(-ENOMEM);
        bisection->commits[0].state = BISECTION_BUILT;
        bisection->commits[n].state = BISECTION_BUILT;
        return 0;
}

void bisection_clear(Bisection *bisection) {
        free(bisection->commits);
        *bisection = (Bisection){};
}

void bisection_add(Bisection *bisection, size_t commit, size_t n, double mean, double error, double freedom) {
        BisectionCommit *of = &bisection->commits[commit];
        const double n_before = of->n_processes, distance = mean - of->mean;

        of->state = BISECTION_BUILT;
        of->squares += error * error * n * freedom + distance * distance * n_before * n / (n_before + n);
        of->freedom += freedom + (n_before > 0);
        of->mean += distance * n / (n_before + n);
        of->n_processes += n;
}

void bisection_set_broken(Bisection *bisection, size_t commit) {
        bisection->commits[commit].state = BISECTION_BROKEN;
}

void bisection_set_twin(Bisection *bisection, size_t commit, size_t other) {
        const size_t first = commit < other ? commit : other, last = commit < other ? other : commit;

        bisection->commits[commit].state = BISECTION_BUILT;
        bisection->commits[commit].is_twin = true;
        for (size_t i = first + 1; i <= last; i++)
                bisection->commits[i].is_excluded = true;
}

static double pooled_deviation(const Bisection *bisection) {
        double squares = 0, freedom = 0;

        for (size_t i = 0; i <= bisection->n; i++) {
                squares += bisection->commits[i].squares;
                freedom += bisection->commits[i].freedom;
        }
        return freedom > 0 ? sqrt(squares / freedom) : 0;
}

double bisection_ends_reach(const Bisection *bisection) {
        const BisectionCommit *end = &bisection->commits[bisection->n];

        return ENDS_APART * sqrt(end->squares / end->freedom / end->n_processes);
}

bool bisection_ends_differ(const Bisection *bisection) {
        return fabs(bisection->commits[bisection->n].mean) > bisection_ends_reach(bisection);
}

double bisection_variance(const Bisection *bisection, size_t commit) {
        return bisection->deviation * bisection->deviation / bisection->commits[commit].n_processes;
}

/* ---- the posterior */

/* The builds within the range that were measured, in their order, and the gaps around them: gap i holds the commits after build i - 1. */
typedef struct Evidence {
        double *means;
        double *variances;
        double *n_in_gap;   /* commits that may be the one; of n + 1 gaps */
        double *log_in_gap; /* the likelihood of the evidence where the change is in a gap, summed over the grid */
        double *good;       /* log densities of the builds at LEVELS good levels */
        double *bad;
        double end_mean; /* of the bad end */
        double end_variance;
        size_t n;
} Evidence;

static void evidence_clear(Evidence *evidence) {
        free(evidence->means);
}

/* One block holds all arrays. */
static int evidence_new(size_t n, Evidence *ret_evidence) {
        double *at = calloc(2 * n + 2 * (n + 1) + 2 * LEVELS * n, sizeof *at);

        if (!at)
                return error_origin(-ENOMEM);
        *ret_evidence = (Evidence){ .n = n, .means = at, .variances = at + n, .n_in_gap = at + 2 * n };
        ret_evidence->log_in_gap = ret_evidence->n_in_gap + n + 1;
        ret_evidence->good = ret_evidence->log_in_gap + n + 1;
        ret_evidence->bad = ret_evidence->good + LEVELS * n;
        return 0;
}

static bool is_measured(const BisectionCommit *commit) {
        return commit->n_processes > 0 && commit->state == BISECTION_BUILT;
}

static int evidence_collect(const Bisection *bisection, Evidence *ret_evidence) {
        const BisectionCommit *commits = bisection->commits;
        size_t n = 0;
        int r;

        for (size_t i = 1; i < bisection->n; i++)
                n += is_measured(&commits[i]);
        if (n > BISECTION_MEASURED_MAX)
                return BISECTION_E_TOO_MANY;
        r = evidence_new(n, ret_evidence);
        if (r)
                return error_trace(r);
        ret_evidence->end_mean = commits[bisection->n].mean;
        ret_evidence->end_variance = bisection_variance(bisection, bisection->n);
        for (size_t i = 1, gap = 0; i <= bisection->n; i++) {
                ret_evidence->n_in_gap[gap] += !commits[i].is_excluded;
                if (i == bisection->n || !is_measured(&commits[i]))
                        continue;
                ret_evidence->means[gap] = commits[i].mean;
                ret_evidence->variances[gap] = bisection_variance(bisection, i);
                gap++;
        }
        for (size_t i = 0; i <= n; i++)
                ret_evidence->log_in_gap[i] = -INFINITY;
        return 0;
}

static double log_sum(double a, double b) {
        const double most = fmax(a, b), least = fmin(a, b);

        return least == -INFINITY ? most : most + log1p(exp(least - most));
}

static double normal(double distance, double variance) {
        return exp(-distance * distance / (2 * variance)) / sqrt(2 * M_PI * variance);
}

/* The log density of a build that lies @distance off its level. */
static double log_density(double distance, double variance, double layout) {
        const double odd = ODD_FACTOR * layout;

        return log((1 - ODD_SHARE) * normal(distance, variance + layout * layout) +
                        ODD_SHARE * normal(distance, variance + odd * odd));
}

static double level(size_t i) {
        return LEVEL_STEP * ((double)i - LEVELS_HALF);
}

static double log_weight(size_t i) {
        return -level(i) * level(i) / 2;
}

/* The good level lies off the good end by that build's layout; the bad one off the bad end by that and the error. */
static void evidence_densities(Evidence *evidence, double layout) {
        const double end_deviation = sqrt(layout * layout + evidence->end_variance);

        for (size_t i = 0; i < LEVELS; i++)
                for (size_t k = 0; k < evidence->n; k++) {
                        const double mean = evidence->means[k], variance = evidence->variances[k];

                        evidence->good[i * evidence->n + k] = log_density(mean - layout * level(i), variance, layout);
                        evidence->bad[i * evidence->n + k] = log_density(
                                        mean - evidence->end_mean - end_deviation * level(i), variance, layout);
                }
}

/* Adds a pair of levels to each gap: builds before it are good, others bad. */
static void evidence_add_levels(Evidence *evidence, double log_prior, size_t good, size_t bad, double *in_gaps) {
        const double *of_good = evidence->good + good * evidence->n, *of_bad = evidence->bad + bad * evidence->n;
        double log_here = log_prior + log_weight(good) + log_weight(bad);

        for (size_t k = 0; k < evidence->n; k++)
                log_here += of_bad[k];
        for (size_t gap = 0; gap <= evidence->n; gap++) {
                in_gaps[gap] = log_sum(in_gaps[gap], log_here);
                if (gap < evidence->n)
                        log_here += of_good[gap] - of_bad[gap];
        }
}

/* The evidence where nothing changed: the bad end is off the good level like any build. */
static double evidence_none(const Evidence *evidence, double log_prior, double layout) {
        double sum = -INFINITY;

        for (size_t i = 0; i < LEVELS; i++) {
                const double of_end = evidence->end_mean - layout * level(i);
                double log_here = log_prior + log_weight(i) +
                                  log(normal(of_end, evidence->end_variance + layout * layout));

                for (size_t k = 0; k < evidence->n; k++)
                        log_here += evidence->good[i * evidence->n + k];
                sum = log_sum(sum, log_here);
        }
        return sum;
}

/* The sums over all levels with one layout, in logs. */
typedef struct LayoutSums {
        double changed;
        double none;
} LayoutSums;

/* A change of about the size of what the ends show stands beside none. */
static LayoutSums evidence_add_layout(Evidence *evidence, size_t which, double log_end, double *in_gaps) {
        const double log_prior = log(layouts[which].weight);
        double log_levels = -INFINITY;
        LayoutSums sums = { .changed = -INFINITY };

        evidence_densities(evidence, layouts[which].deviation);
        for (size_t i = 0; i < LEVELS; i++)
                log_levels = log_sum(log_levels, log_weight(i));
        for (size_t gap = 0; gap <= evidence->n; gap++)
                in_gaps[gap] = -INFINITY;
        for (size_t good = 0; good < LEVELS; good++)
                for (size_t bad = 0; bad < LEVELS; bad++)
                        evidence_add_levels(evidence, log_prior + log_end - 2 * log_levels, good, bad, in_gaps);
        for (size_t gap = 0; gap <= evidence->n; gap++) {
                evidence->log_in_gap[gap] = log_sum(evidence->log_in_gap[gap], in_gaps[gap]);
                sums.changed = log_sum(sums.changed, in_gaps[gap] + log(evidence->n_in_gap[gap]));
        }
        sums.none = evidence_none(evidence, log_prior - log_levels, layouts[which].deviation);
        return sums;
}

/* Spreads the posterior of the gaps over their commits. */
static void bisection_set_masses(Bisection *bisection, const Evidence *evidence, double log_prior, double log_total) {
        size_t gap = 0;

        for (size_t i = 1; i <= bisection->n; i++) {
                BisectionCommit *commit = &bisection->commits[i];

                commit->mass = commit->is_excluded ? 0 : exp(evidence->log_in_gap[gap] + log_prior - log_total);
                gap += i < bisection->n && is_measured(commit);
        }
}

int bisection_update(Bisection *bisection) {
        _cleanup_(evidence_clear) Evidence evidence = {};
        _cleanup_(freep) double *in_gaps = NULL;
        LayoutSums sums[N_ELEMENTS(layouts)];
        double n_commits = 0, total = -INFINITY, none = -INFINITY, log_prior, log_end;
        int r;

        bisection->deviation = fmax(pooled_deviation(bisection), 1e-9);
        r = evidence_collect(bisection, &evidence);
        if (r)
                return r < 0 ? error_trace(r) : r;
        in_gaps = calloc(evidence.n + 1, sizeof *in_gaps);
        if (!in_gaps)
                return error_origin(-ENOMEM);
        for (size_t gap = 0; gap <= evidence.n; gap++)
                n_commits += evidence.n_in_gap[gap];
        log_prior = n_commits > 0 ? log((1 - PRIOR_NONE) / n_commits) : -INFINITY;
        log_end = log(normal(1, 1)) - log(fmax(fabs(evidence.end_mean), sqrt(evidence.end_variance)));
        for (size_t i = 0; i < N_ELEMENTS(layouts); i++) {
                sums[i] = evidence_add_layout(&evidence, i, log_end, in_gaps);
                none = log_sum(none, sums[i].none + log(PRIOR_NONE));
                total = log_sum(total, sums[i].changed + log_prior);
        }
        total = log_sum(total, none);
        bisection->mass_none = exp(none - total);
        bisection->layout = 0;
        for (size_t i = 0; i < N_ELEMENTS(layouts); i++)
                bisection->layout += layouts[i].deviation *
                                     exp(log_sum(sums[i].changed + log_prior, sums[i].none + log(PRIOR_NONE)) - total);
        bisection_set_masses(bisection, &evidence, log_prior, total);
        return 0;
}

/* ---- the answer */

BisectionBlock bisection_block_of(const Bisection *bisection, size_t commit) {
        const BisectionCommit *commits = bisection->commits;
        BisectionBlock block = { .first = commit, .last = commit };

        while (commits[block.last].state == BISECTION_BROKEN && block.last < bisection->n)
                block.last++;
        while (block.first > 1 && commits[block.first - 1].state == BISECTION_BROKEN)
                block.first--;
        for (size_t i = block.first; i <= block.last; i++)
                block.mass += commits[i].mass;
        return block;
}

size_t bisection_best(const Bisection *bisection, BisectionBlock *blocks, size_t n) {
        size_t n_found = 0, n_all = 0;

        for (size_t i = 1; i <= bisection->n; i++) {
                const BisectionBlock block = bisection_block_of(bisection, i);
                size_t at;

                i = block.last;
                if (block.mass <= 0)
                        continue;
                n_all++;
                at = n_found;
                while (at > 0 && blocks[at - 1].mass < block.mass)
                        at--;
                if (at == n)
                        continue;
                n_found += n_found < n;
                for (size_t k = n_found - 1; k > at; k--)
                        blocks[k] = blocks[k - 1];
                blocks[at] = block;
        }
        return n_all;
}

/* A mean of builds, each of which weighs by its error and the layout. */
typedef struct Level {
        double weights;
        double sum;
} Level;

static void level_add(Level *of, double mean, double variance) {
        of->weights += 1 / variance;
        of->sum += mean / variance;
}

BisectionChange bisection_change(const Bisection *bisection, const BisectionBlock *block) {
        const double layout = bisection->layout * bisection->layout;
        Level good = {}, bad = {};
        double freedom = PRIOR_FREEDOM;

        level_add(&good, 0, layout);
        for (size_t i = 1; i <= bisection->n; i++)
                if (is_measured(&bisection->commits[i])) {
                        level_add(i < block->last ? &good : &bad, bisection->commits[i].mean,
                                        layout + bisection_variance(bisection, i));
                        freedom++;
                }
        return (BisectionChange){
                .mean = bad.sum / bad.weights - good.sum / good.weights,
                .half = gsl_cdf_tdist_Pinv(0.975, freedom) * sqrt(1 / bad.weights + 1 / good.weights),
        };
}

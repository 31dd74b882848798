/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/bisection-choice.h"

#include <math.h>
#include <stdbool.h>

#include "stats/bisection.h"
#include "util/cleanup.h"

#define NODES       33    /* of an integral over a normal density */
#define NODES_REACH 4.0   /* deviations to either side */
#define CHANCES     33    /* of a table of the information by the chance that a build is bad */
#define GAIN_LEAST  0.005 /* bits: less is not worth a measurement */
#define GAIN_BUILD  0.05  /* ... with a build before it */

static const size_t looks[] = { 4, 8, 16 }; /* processes */

/* ---- information */

/* The mean of -log2(share + other exp(distance z - distance²/2)) over normal z: what a signal of chance @share tells when it is sent. */
static double information_sent(double share, double distance) {
        double sum = 0, weights = 0;

        for (int i = 0; i < NODES; i++) {
                const double z = NODES_REACH * (2.0 * i / (NODES - 1) - 1), weight = exp(-z * z / 2);

                sum -= weight * log2(share + (1 - share) * exp(distance * z - distance * distance / 2));
                weights += weight;
        }
        return sum / weights;
}

/* Bits that a measurement tells of a build that is bad with @chance, where both levels are @distance deviations apart. */
static double information(double chance, double distance) {
        if (chance <= 0 || chance >= 1)
                return 0;
        return fmax(chance * information_sent(chance, distance) + (1 - chance) * information_sent(1 - chance, distance),
                        0);
}

/* Deviations between the levels, to @n more processes of @commit. */
static double distance_of(const Bisection *bisection, size_t commit, size_t n, double change) {
        const double layout = bisection->layout * bisection->layout;
        const double noise = bisection->deviation * bisection->deviation / n;
        double variance;

        if (bisection->commits[commit].n_processes == 0)
                return fabs(change) / sqrt(layout + noise);
        variance = bisection_variance(bisection, commit);
        return fabs(change) * variance / (layout + variance) / sqrt(layout * variance / (layout + variance) + noise);
}

/* ---- candidates */

/*
 * How likely it is that @commit builds, by the nearest ones that do not, at @near and up to @far on the other side of them: within as many
 * commits as are known not to, half of the others do.
 */
static double chance_to_build(const Bisection *bisection, size_t commit) {
        double chance = 1;

        for (int step = -1; step <= 1; step += 2) {
                const BisectionCommit *commits = bisection->commits;
                size_t near = commit, far;

                while (commits[near].state == BISECTION_UNBUILT)
                        near += step;
                if (commits[near].state == BISECTION_BUILT)
                        continue;
                far = near;
                for (size_t i = near; commits[i].state != BISECTION_BUILT; i += step)
                        far = commits[i].state == BISECTION_BROKEN ? i : far;
                chance *= 1 - exp2(-fabs((double)near - (double)commit) / (fabs((double)far - (double)near) + 1));
        }
        return chance;
}

/* The information of a build that was not measured, by its chance to be bad: the integral takes its time. */
typedef struct Table {
        double bits[N_ELEMENTS(looks)][CHANCES];
} Table;

static void table_fill(const Bisection *bisection, size_t unmeasured, double change, Table *table) {
        for (size_t look = 0; look < N_ELEMENTS(looks); look++)
                for (size_t i = 0; i < CHANCES; i++)
                        table->bits[look][i] = information((double)i / (CHANCES - 1),
                                        distance_of(bisection, unmeasured, looks[look], change));
}

static double table_at(const Table *table, size_t look, double chance) {
        const double at = fmin(fmax(chance, 0), 1) * (CHANCES - 1);
        const size_t below = at < CHANCES - 1 ? (size_t)at : CHANCES - 2;

        return table->bits[look][below] + (at - below) * (table->bits[look][below + 1] - table->bits[look][below]);
}

/* ---- the choice */

typedef struct Search {
        const Bisection *bisection;
        const BisectionCosts *costs;
        double change;
        Table table;
        BisectionChoice best;
        double best_per_s;
} Search;

/* Takes what tells @bits if it builds, which it does with the chance @builds. */
static void search_offer(Search *search, size_t commit, size_t look, double bits, double builds) {
        const bool is_unbuilt = search->bisection->commits[commit].state == BISECTION_UNBUILT;
        const double seconds = (is_unbuilt ? search->costs->build_s : 0) + search->costs->look_s +
                               looks[look] * search->costs->process_s;

        if (bits < (is_unbuilt ? GAIN_BUILD : GAIN_LEAST) || builds * bits / seconds <= search->best_per_s)
                return;
        search->best = (BisectionChoice){ .commit = commit, .n_processes = looks[look], .gain = bits };
        search->best_per_s = builds * bits / seconds;
}

static void search_try(Search *search, size_t commit, double chance) {
        const Bisection *bisection = search->bisection;
        const BisectionCommit *of = &bisection->commits[commit];
        const double builds = of->state == BISECTION_UNBUILT ? chance_to_build(bisection, commit) : 1;

        for (size_t look = 0; look < N_ELEMENTS(looks); look++) {
                const double distance = distance_of(bisection, commit, looks[look], search->change);

                search_offer(search, commit, look,
                                of->n_processes == 0 ? table_at(&search->table, look, chance)
                                                     : information(chance, distance),
                                builds);
        }
}

static size_t count_measured(const Bisection *bisection) {
        size_t n = 0;

        for (size_t i = 1; i < bisection->n; i++)
                n += bisection->commits[i].n_processes > 0;
        return n;
}

int bisection_choose(const Bisection *bisection, const BisectionCosts *costs, BisectionChoice *ret_choice) {
        Search search = { .bisection = bisection, .costs = costs };
        double chance = 0, changed = 1 - bisection->mass_none;
        BisectionBlock block;

        if (bisection->mass_none >= BISECTION_ENOUGH)
                return BISECTION_CHOICE_E_NONE;
        if (bisection_best(bisection, &block, 1) == 0 || count_measured(bisection) >= BISECTION_MEASURED_MAX)
                return BISECTION_CHOICE_E_STUCK;
        if (block.mass >= BISECTION_ENOUGH)
                return BISECTION_CHOICE_E_FOUND;
        search.change = bisection_change(bisection, &block).mean;
        table_fill(bisection, 0, search.change, &search.table);
        for (size_t i = 1; i < bisection->n; i++) {
                const BisectionCommit *commit = &bisection->commits[i];

                chance += commit->mass / changed;
                if (commit->state != BISECTION_BROKEN && !commit->is_twin)
                        search_try(&search, i, chance);
        }
        if (search.best_per_s <= 0)
                return BISECTION_CHOICE_E_STUCK;
        *ret_choice = search.best;
        return 0;
}

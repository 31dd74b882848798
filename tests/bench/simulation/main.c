/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Prints how often the statistics of benchd are right, by simulation: coverage of the interval of a run, comparisons of
 * a benchmark with itself, what is named in noise, what a comparison promises, and numbers over several machines. The same seed and tables
 * give the same figures.
 */

#include <getopt.h>
#include <gsl/gsl_rng.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "bisect.h"
#include "ending.h"
#include "fleet.h"
#include "promises.h"
#include "rates.h"
#include "scenario.h"
#include "stats/drift.h"
#include "stats/interval.h"
#include "util/cleanup.h"
#include "util/error.h"

typedef struct Options {
        unsigned long draws;
        unsigned long processes;
        unsigned long samples;
        unsigned long seed;
        const char *table; /* NULL: all */
} Options;

static const char usage[] =
                "usage: simulate [--draws=N] [--processes=K] [--samples=S] [--seed=N] [--table=NAME]\n"
                "K is 3 or more, S is 10 or more; without a seed there is a fresh one, and it is printed.\n"
                "Tables: runs, shapes, promises, families, needs, machines, bisect, looks; without a name all of them.\n";

/* Shapes of values in which something may be named; the last two have something to name. */
static const Scenario shapes[] = {
        { "lognormal, 1 %", noise_lognormal, 0.01 },
        { "lognormal, 30 %", noise_lognormal, 0.3 },
        { "exponential tail, 5 %", noise_exponential, 0.05 },
        { "Pareto, exponent 3", noise_pareto, 1.0 / 3 },
        { "steps of 0.4 %", noise_quantized, 0.01 },
        { "normal, correlation 0.5", noise_normal, 0.01, .repeat = 0.5 },
        { "normal, 10 % stragglers to 2x", noise_stragglers, 0.003 },
        { "drifting by 2 %, noise 1 %", noise_normal, 0.01, .drift_within = 0.02 },
        { "50 or 72, each 2 %", noise_two, 0.02 },
};

static bool table_find(const char *name);

static bool number_parse(const char *text, unsigned long least, unsigned long *ret_number) {
        char *end;
        unsigned long number;

        errno = 0;
        number = strtoul(text, &end, 10);
        if (errno || end == text || *end || strchr(text, '-') || number < least)
                return false;
        *ret_number = number;
        return true;
}

static bool options_parse(int argc, char **argv, Options *options) {
        static const struct option names[] = {
                { "draws", required_argument, NULL, 'd' },
                { "processes", required_argument, NULL, 'k' },
                { "samples", required_argument, NULL, 's' },
                { "seed", required_argument, NULL, 'r' },
                { "table", required_argument, NULL, 't' },
                {},
        };
        unsigned long *const numbers[] = { &options->draws, &options->processes, &options->samples, &options->seed };
        const unsigned long least[] = { 1, INTERVAL_N_MIN, DRIFT_N_MIN, 0 };
        int letter, which;

        while ((letter = getopt_long(argc, argv, "", names, &which)) != -1)
                if (letter == 't')
                        options->table = optarg;
                else if (letter == '?' || !number_parse(optarg, least[which], numbers[which]))
                        return false;
        return optind == argc && (!options->table || table_find(options->table));
}

static void print_share(double share) {
        printf(" %10.2f", 100 * share);
}

static int runs_print(const Simulation *simulation) {
        printf("\nRuns of %zu processes of %zu samples, %zu draws. All in %%.\n"
               "%-32s %10s %10s %10s %10s %10s %10s %10s %10s %10s\n",
                        simulation->n_processes, simulation->n_samples, simulation->n_draws, "", "covered", "unwidened",
                        "+-", "lineless", "paired", "apart", "usual way", "modes", "no slow");
        for (size_t i = 0; i < n_scenarios; i++) {
                RunRates rates;
                int r;

                r = run_rates(simulation, &scenarios[i], &rates);
                if (r)
                        return error_trace(r);
                printf("%-32s", scenarios[i].name);
                print_share(rates.covered);
                print_share(rates.unwidened);
                print_share(rates.half_width);
                print_share(rates.lineless);
                print_share(rates.paired);
                print_share(rates.independent);
                print_share(rates.pooled);
                print_share(rates.modes);
                if (scenarios[i].slow_share > 0)
                        print_share(rates.none_slow);
                printf("\n");
                fflush(stdout);
        }
        printf("covered: 95 %% intervals that hold what endless processes would give (standard error %.2f); unwidened: without\n"
               "the widening for processes that resemble the one before; +-: mean half-width; lineless: covered, if a straight\n"
               "line over the run were left out of the spread, which benchd does not do; paired, apart, usual way: comparisons of a benchmark with itself that find a difference, both in\n"
               "each process, one run after the other by processes (Welch), the same by rank test of all samples (5 %% each is\n"
               "honest); modes: runs whose processes are said to have more than one; no slow: runs without a slow process.\n",
                        100 * sqrt(0.95 * 0.05 / simulation->n_draws));
        return 0;
}

static int shapes_print(const Simulation *simulation) {
        printf("\nNamed in one draw of values, in %% of %zu draws.\n"
               "%-32s %10s %10s %10s\n%-32s %4zu values %3zu values\n",
                        simulation->n_draws, "", "modes", "modes", "drift", "", simulation->n_processes,
                        simulation->n_samples);
        for (size_t i = 0; i < N_ELEMENTS(shapes); i++) {
                SampleRates rates;
                int r;

                r = sample_rates(simulation, &shapes[i], &rates);
                if (r)
                        return error_trace(r);
                printf("%-32s", shapes[i].name);
                print_share(rates.modes_of_processes);
                print_share(rates.modes_of_samples);
                print_share(rates.drift);
                printf("\n");
                fflush(stdout);
        }
        printf("modes: by the rule for processes, then by that for samples; drift: p under 5 %%.\n");
        return 0;
}

static int promises_print(const Simulation *simulation) {
        static const size_t processes[] = { 5, 10, 20, 40 };

        printf("\nComparisons, %zu draws. All but the multiple in %%.\n"
               "%-32s %10s %10s %10s %10s %10s %10s %10s\n",
                        simulation->n_draws, "", "multiple", "detected", "by half", "resolved", "same", "same by 95",
                        "slower");
        for (size_t i = 0; i < N_ELEMENTS(processes); i++) {
                PromiseRates rates;
                int r;

                r = promise_rates(simulation->random, simulation->n_draws, processes[i], &rates);
                if (r)
                        return error_trace(r);
                printf("comparisons of %-2zu processes      %10.3f", processes[i], rates.multiple);
                print_share(rates.found);
                print_share(rates.found_half);
                print_share(rates.resolved);
                print_share(rates.same_at_edge);
                print_share(rates.same_by_95);
                print_share(rates.slower_at_edge);
                printf("\n");
                fflush(stdout);
        }
        printf("multiple: of half the interval, that detectable lies beyond the margin; detected: a difference as large as the\n"
               "detectable of one run is found in another (80 %% is honest); by half: one as large as margin and half; resolved:\n"
               "another run of as many processes as an unresolved one said has the right verdict (80 %%); same, same by 95,\n"
               "slower: of a truth on an edge of the margin, with \"same\" by the interval at 90 (5 %%) and at 95 %% (2.5 %%).\n");
        return 0;
}

static int families_print(const Simulation *simulation) {
        static const struct {
                const char *name;
                size_t n_rows;
                double margin;
        } tables[] = { { "10 rows, margin 0.5 %", 10, 0.005 }, { "50 rows, margin 0.5 %", 50, 0.005 },
                { "10 rows, margin 0", 10, 0 }, { "50 rows, margin 0", 50, 0 } };

        printf("\nTables of comparisons of 20 processes, every truth on an edge of the margin: tables that call a row faster or\n"
               "slower, in %% of %zu draws.\n%-32s %10s %10s %10s\n",
                        simulation->n_draws, "", "alone", "of ratio 1", "beyond");
        for (size_t i = 0; i < N_ELEMENTS(tables); i++) {
                FamilyRates rates;
                int r;

                r = family_rates(simulation->random, simulation->n_draws, 20, tables[i].n_rows, tables[i].margin,
                                &rates);
                if (r)
                        return error_trace(r);
                printf("%-32s", tables[i].name);
                print_share(rates.alone);
                print_share(rates.of_one);
                print_share(rates.beyond);
                printf("\n");
                fflush(stdout);
        }
        printf("alone: without adjustment; of ratio 1: Holm over p of a ratio of 1; beyond: Holm over p of the distance beyond the\n"
               "margin, which benchd does (at most 5 %% is honest).\n");
        return 0;
}

/* A search takes as long as some thousand other draws. */
static int bisect_print(const Simulation *simulation) {
        static const BisectScenario rows[] = {
                { "1 %, processes 0.4 %", 1024, 0.01, 0.004, 0 },
                { "1 %, 0.4 %, layout 0.2 %", 1024, 0.01, 0.004, 0.002 },
                { "1 %, 0.8 %, 0.2 %", 1024, 0.01, 0.008, 0.002 },
                { "2 %, 0.8 %, 0.2 %", 1024, 0.02, 0.008, 0.002 },
                { "5 %, 0.8 %, 0.2 %", 1024, 0.05, 0.008, 0.002 },
                { "1 %, 0.4 %, 0.2 %, broken", 1024, 0.01, 0.004, 0.002, .broken = 0.2 },
                { "1 %, 0.4 %, 0.1 %, odd builds", 1024, 0.01, 0.004, 0.001, .odd = true },
                { "64 commits: 3 %, 0.8 %, 0.4 %", 64, 0.03, 0.008, 0.004 },
                { "10 commits: 1 %, 0.4 %, 0.2 %", 10, 0.01, 0.004, 0.002 },
                { "64 commits: 0 %, 0.4 %, 0.2 %", 64, 0, 0.004, 0.002 },
        };
        const size_t n_draws = simulation->n_draws > 50 ? simulation->n_draws / 50 : 1;

        printf("\nSearches for the commit of 1024 that changed a time, %zu draws.\n"
               "%-32s %8s %8s %8s %8s %8s %8s %8s %8s %9s %8s\n",
                        n_draws, "", "right", "wrong", "none", "sure", "claimed", "covered", "builds", "broken",
                        "processes", "95th");
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                BisectRates rates;
                int r;

                r = bisect_rates(simulation->random, n_draws, &rows[i], &rates);
                if (r)
                        return error_trace(r);
                printf("%-32s %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %9.0f %8.0f\n", rows[i].name,
                                100 * rates.right, 100 * rates.wrong, 100 * rates.none, 100 * rates.sure,
                                100 * rates.claimed, 100 * rates.covered, rates.builds, rates.broken, rates.processes,
                                rates.most_processes);
                fflush(stdout);
        }
        printf("Change, deviation of processes, of builds for their layout. In %% of the searches: right, wrong: of the commit that is\n"
               "named; none: no change; sure: with 99 %% of the posterior; claimed: the mean posterior, as many should be right of those\n"
               "that name one; covered: right ones whose 95 %% interval holds the change. Builds without the ends, processes with them,\n"
               "means; 95th: one search in twenty takes more. Broken: a fifth of the commits, in runs; odd: one build in twenty is off by\n"
               "five times as much.\n");
        return 0;
}

static int needs_print(const Simulation *simulation) {
        static const double truths[] = { 0, 0.5 }, spreads[] = { 1, 2, 4 };

        printf("\nProcesses with which 80 %% of comparisons say \"same\", by simulation.\n%-32s %10s %10s\n", "",
                        "by 90 %", "by 95 %");
        for (size_t i = 0; i < N_ELEMENTS(truths) * N_ELEMENTS(spreads); i++) {
                double truth = truths[i / N_ELEMENTS(spreads)], spread = spreads[i % N_ELEMENTS(spreads)];
                SameNeeds needs;
                int r;

                r = same_needs(simulation->random, simulation->n_draws, truth, spread, &needs);
                if (r)
                        return error_trace(r);
                printf("truth %.1f, spread %.0f margins     %10zu %10zu\n", truth, spread, needs.by_90, needs.by_95);
                fflush(stdout);
        }
        return 0;
}

static int machines_print(const Simulation *simulation) {
        static const FleetScenario rows[] = {
                { 3, 0, FLEET_PROCESSES, FLEET_NOISE },
                { 3, 0.003, FLEET_PROCESSES, FLEET_NOISE },
                { 3, 0.01, FLEET_PROCESSES, FLEET_NOISE },
                { 3, 0.03, FLEET_PROCESSES, FLEET_NOISE },
                { 5, 0, FLEET_PROCESSES, FLEET_NOISE },
                { 5, 0.003, FLEET_PROCESSES, FLEET_NOISE },
                { 5, 0.01, FLEET_PROCESSES, FLEET_NOISE },
                { 5, 0.03, FLEET_PROCESSES, FLEET_NOISE },
                { 10, 0, FLEET_PROCESSES, FLEET_NOISE },
                { 10, 0.003, FLEET_PROCESSES, FLEET_NOISE },
                { 10, 0.01, FLEET_PROCESSES, FLEET_NOISE },
                { 10, 0.03, FLEET_PROCESSES, FLEET_NOISE },
                { 5, 0.03, 3, FLEET_NOISE },
                { 5, 0.003, FLEET_PROCESSES, 0.05 },
        };

        printf("\nNumbers over machines of %u processes, each of 1 %%, in %% of %zu draws.\n"
               "%-32s %10s %10s %10s %10s %10s %10s %10s %10s %10s %10s\n",
                        FLEET_PROCESSES, simulation->n_draws, "", "missed", "+-", "one heap", "these", "own", "slower",
                        "same", "differ", "odd", "odd found");
        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char name[64];
                FleetRates rates;
                int r;

                r = fleet_rates(simulation->random, simulation->n_draws, &rows[i], &rates);
                if (r)
                        return error_trace(r);
                snprintf(name, sizeof name, "%zu machines, %.1f %%%s", rows[i].n_machines, 100 * rows[i].between,
                                rows[i].n_first != FLEET_PROCESSES   ? ", one of 3"
                                : rows[i].noise_first != FLEET_NOISE ? ", one noisy"
                                                                     : "");
                printf("%-32s", name);
                print_share(rates.missed);
                print_share(rates.half_width);
                print_share(rates.missed_pooled);
                print_share(rates.missed_these);
                print_share(rates.missed_own);
                print_share(rates.slower_at_edge);
                print_share(rates.same_at_edge);
                print_share(rates.differ);
                print_share(rates.odd);
                print_share(rates.odd_found);
                printf("\n");
                fflush(stdout);
        }
        printf("missed: 95 %% intervals over machines without the truth of all machines (5 %% is honest; standard error %.2f); +-: their\n"
               "mean half-width; one heap: the same, of all processes together; these: the same, of the spread within these machines;\n"
               "own: intervals over these machines without their own mean (5 %%); slower, same: verdicts where the truth lies on an\n"
               "edge of the margin (2.5 and at most 5 %%); differ: machines said to differ; odd: one called odd where none is (at most\n"
               "1 %%); odd found: one that is 10 %% slower called odd. One of 3: a machine gave 3 processes; noisy: of 5 %% each.\n",
                        100 * sqrt(0.95 * 0.05 / simulation->n_draws));
        return 0;
}

static void looks_print_row(const EndingScenario *scenario, const EndingRates *rates) {
        char name[80];

        snprintf(name, sizeof name, "%s%s, spread %.1f %%, %.1f %%", scenario->fixed ? "20 pairs: " : "",
                        scenario->n_strata == 1 ? "commands" : ending_noise_name(scenario->noise),
                        100 * scenario->spread, 100 * scenario->truth);
        printf("%-42s", name);
        print_share(rates->faster);
        print_share(rates->slower);
        print_share(rates->same);
        print_share(rates->none);
        print_share(rates->covered);
        printf(" %10u %10.1f\n", rates->median_pairs, rates->mean_pairs);
        fflush(stdout);
}

/* Rows of each truth, at each of @n_spreads spreads. */
static int looks_print_rows(const Simulation *simulation, EndingScenario scenario, const double *spreads,
                size_t n_spreads) {
        static const double truths[] = { 0, ENDING_MARGIN, 0.01, 0.02, 0.05 };

        for (size_t i = 0; i < n_spreads * N_ELEMENTS(truths); i++) {
                EndingRates rates;
                int r;

                scenario.spread = spreads[i / N_ELEMENTS(truths)];
                scenario.truth = truths[i % N_ELEMENTS(truths)];
                r = ending_rates(simulation->random, simulation->n_draws, &scenario, &rates);
                if (r)
                        return error_trace(r);
                looks_print_row(&scenario, &rates);
        }
        return 0;
}

static int looks_print_families(const Simulation *simulation) {
        static const size_t n_rows[] = { 1, 10, 50 };

        for (size_t i = 0; i < N_ELEMENTS(n_rows); i++) {
                double share;
                int r;

                r = ending_family_rate(simulation->random, simulation->n_draws, n_rows[i], &share);
                if (r)
                        return error_trace(r);
                printf("%zu rows, each on an edge, end by themselves: %.2f %% of tables are wrong\n", n_rows[i],
                                100 * share);
                fflush(stdout);
        }
        return 0;
}

static int looks_print(const Simulation *simulation) {
        static const double spreads[] = { 0.002, 0.004, 0.008 }, *middle = &spreads[1];
        int r = 0;

        printf("\nComparisons that end by themselves, margin 0.5 %%, in %% of %zu draws.\n"
               "%-42s %10s %10s %10s %10s %10s %10s %10s\n",
                        simulation->n_draws, "", "faster", "slower", "same", "unresolved", "covered", "pairs, mid",
                        "mean");
        for (EndingNoise noise = 0; r == 0 && noise < _ENDING_NOISE_N; noise++)
                r = looks_print_rows(simulation, (EndingScenario){ .noise = noise, .n_strata = 4 }, spreads,
                                N_ELEMENTS(spreads));
        if (r == 0)
                r = looks_print_rows(simulation, (EndingScenario){ .n_strata = 1 }, spreads, N_ELEMENTS(spreads));
        for (EndingNoise noise = 0; r == 0 && noise < _ENDING_NOISE_N; noise++)
                r = looks_print_rows(simulation, (EndingScenario){ .noise = noise, .n_strata = 4, .fixed = true },
                                middle, 1);
        if (r == 0)
                r = looks_print_families(simulation);
        printf("At 0.5 %%, the edge of the margin, at most 2.5 %% slower and 5 %% the same are honest; covered: by the interval that is\n"
               "told, 95 %% or more; 20 pairs: a fixed number, as by --processes=20.\n");
        return r;
}

static const struct {
        const char *name;
        int (*print)(const Simulation *simulation);
} tables[] = {
        { "runs", runs_print },
        { "shapes", shapes_print },
        { "promises", promises_print },
        { "families", families_print },
        { "needs", needs_print },
        { "machines", machines_print },
        { "bisect", bisect_print },
        { "looks", looks_print },
};

static bool table_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(tables); i++)
                if (strcmp(tables[i].name, name) == 0)
                        return true;
        return false;
}

static int tables_print(const Options *options) {
        Simulation simulation = {
                .random = gsl_rng_alloc(gsl_rng_mt19937),
                .n_draws = options->draws,
                .n_processes = options->processes,
                .n_samples = options->samples,
        };
        int r = 0;

        if (!simulation.random)
                return error_origin(-ENOMEM);
        gsl_rng_set(simulation.random, options->seed);
        printf("# seed %lu\n", options->seed);
        for (size_t i = 0; r == 0 && i < N_ELEMENTS(tables); i++)
                if (!options->table || strcmp(options->table, tables[i].name) == 0)
                        r = tables[i].print(&simulation);
        gsl_rng_free(simulation.random);
        return error_trace(r);
}

int main(int argc, char **argv) {
        Options options = { .draws = 10000, .processes = 10, .samples = 50 };
        uint32_t seed;

        error_set_sink(error_print);
        if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
                return 1;
        options.seed = seed;
        if (!options_parse(argc, argv, &options)) {
                fputs(usage, stderr);
                return 2;
        }
        return tables_print(&options) ? 1 : 0;
}

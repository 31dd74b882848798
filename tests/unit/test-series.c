/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Runs that leave the level of those before: how often one is marked where nothing changed, how often a change is, and what one run gone
 * wrong does to the marks of others.
 */

#include "stats/series.h"

#include "random.h"
#include "stats/interval.h"

#define PROCESSES 10
#define RUNS_MAX  31
#define TRIALS    2000

static const SeriesRule rule = { .confidence = 0.99, .margin = 0.005, .margin_few = 0.1 };

typedef struct Spread {
        double of_runs; /* standard deviation of their levels */
        double of_processes;
        double resemblance; /* correlation of a level with that before it */
} Spread;

/* @n runs of one level, but for their spread. */
static void draw(gsl_rng *random, const Spread *spread, SeriesRun *runs, size_t n) {
        const double fresh = sqrt(1 - spread->resemblance * spread->resemblance);
        double level = gsl_ran_gaussian(random, spread->of_runs);

        for (size_t i = 0; i < n; i++) {
                double logs[PROCESSES];
                Interval interval;

                for (size_t k = 0; k < PROCESSES; k++)
                        logs[k] = level + gsl_ran_gaussian(random, spread->of_processes);
                assert_int_equal(interval_of_mean(logs, NULL, PROCESSES, 0.95, &interval), 0);
                runs[i] = (SeriesRun){ interval.point, interval.high - interval.point };
                level = spread->resemblance * level + gsl_ran_gaussian(random, fresh * spread->of_runs);
        }
}

/* The share of last of @n runs that are marked slower by @change, or with none in either direction. */
static double share_marked(gsl_rng *random, const Spread *spread, size_t n, double change) {
        int n_marked = 0;

        for (int trial = 0; trial < TRIALS; trial++) {
                SeriesRun runs[RUNS_MAX];
                SeriesMark mark;

                draw(random, spread, runs, n);
                runs[n - 1].log += log1p(change);
                mark = series_mark(runs, n, &rule);
                n_marked += change > 0 ? mark == SERIES_SLOWER : mark != SERIES_NONE;
        }
        return (double)n_marked / TRIALS;
}

TEST(where_nothing_changed_hardly_a_run_is_marked) {
        static const struct {
                Spread spread;
                double most;
        } rows[] = {
                { { 0.002, 0.003 }, 0.001 },
                { { 0.0005, 0.0005 }, 0.001 },
                { { 0.005, 0.003 }, 0.005 },
                { { 0.03, 0.01 }, 0.015 },
                { { 0, 0.01 }, 0.001 },
                { { 0.005, 0.003, 0.8 }, 0.02 },
        };
        static const size_t n_runs[] = { 2, 4, 6, 11, RUNS_MAX };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows) * N_ELEMENTS(n_runs); i++) {
                const Spread *spread = &rows[i / N_ELEMENTS(n_runs)].spread;
                const double most = rows[i / N_ELEMENTS(n_runs)].most;
                const size_t n = n_runs[i % N_ELEMENTS(n_runs)];
                const double share = share_marked(random, spread, n, 0);

                print_message("runs %.2f %%, processes %.2f %%, resemblance %.1f, run %zu: marked in %.2f %%\n",
                                100 * spread->of_runs, 100 * spread->of_processes, spread->resemblance, n, 100 * share);
                assert_true(share <= most + share_tolerance(most, TRIALS));
        }
}

TEST(a_change_is_marked) {
        static const struct {
                Spread spread;
                size_t n;
                double change;
                double least;
        } rows[] = {
                { { 0.0005, 0.0005 }, 6, 0.01, 0.8 },
                { { 0.002, 0.003 }, 11, 0.02, 0.95 },
                { { 0.005, 0.003 }, 11, 0.05, 0.95 },
                { { 0.005, 0.003 }, RUNS_MAX, 0.03, 0.85 },
                { { 0, 0.01 }, RUNS_MAX, 0.03, 0.95 },
                { { 0.01, 0.01 }, 2, 0.25, 0.95 },
        };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                const double share = share_marked(random, &rows[i].spread, rows[i].n, rows[i].change);

                print_message("runs %.2f %%, processes %.2f %%, run %zu, %.0f %% slower: marked in %.1f %%\n",
                                100 * rows[i].spread.of_runs, 100 * rows[i].spread.of_processes, rows[i].n,
                                100 * rows[i].change, 100 * share);
                assert_true(share >= rows[i].least - share_tolerance(rows[i].least, TRIALS));
        }
}

/* The new level is marked until more than half of the last ten runs have it. */
TEST(a_step_is_marked_until_it_is_the_level) {
        SeriesRun runs[RUNS_MAX];

        for (size_t i = 0; i < RUNS_MAX; i++)
                runs[i] = (SeriesRun){ .log = (i < 20 ? 0 : 0.1) + (i % 2) * 0.001, .half = 0.001 };
        for (size_t n = 1; n <= RUNS_MAX; n++)
                assert_int_equal(series_mark(runs, n, &rule), n > 20 && n <= 26 ? SERIES_SLOWER : SERIES_NONE);
}

TEST(one_run_gone_wrong_is_marked_and_blinds_nothing) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        int n_wrong = 0, n_found = 0, n_next = 0;

        for (int trial = 0; trial < TRIALS; trial++) {
                SeriesRun runs[RUNS_MAX];

                draw(random, &(Spread){ 0.002, 0.003 }, runs, RUNS_MAX);
                runs[15].log += 0.3;
                n_wrong += series_mark(runs, 16, &rule) == SERIES_SLOWER;
                n_next += series_mark(runs, 17, &rule) != SERIES_NONE;
                runs[RUNS_MAX - 1].log += 0.02;
                n_found += series_mark(runs, RUNS_MAX, &rule) == SERIES_SLOWER;
        }
        assert_int_equal(n_wrong, TRIALS);
        assert_true(n_next <= TRIALS * (0.001 + share_tolerance(0.001, TRIALS)));
        assert_true(n_found >= TRIALS * (0.95 - share_tolerance(0.95, TRIALS)));
}

/* A quick run among long ones has an interval of its own. */
TEST(a_run_is_held_to_its_own_interval) {
        SeriesRun runs[12];

        for (size_t i = 0; i < N_ELEMENTS(runs); i++)
                runs[i] = (SeriesRun){ .log = (i % 2) * 0.001, .half = 0.001 };
        runs[11].log = 0.03;
        assert_int_equal(series_mark(runs, N_ELEMENTS(runs), &rule), SERIES_SLOWER);
        runs[11].half = 0.05;
        assert_int_equal(series_mark(runs, N_ELEMENTS(runs), &rule), SERIES_NONE);
}

TEST(equal_times_are_no_change) {
        const SeriesRun runs[12] = {};

        for (size_t n = 1; n <= N_ELEMENTS(runs); n++)
                assert_int_equal(series_mark(runs, n, &rule), SERIES_NONE);
}

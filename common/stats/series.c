/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "stats/quantile.h"

#define NORMAL_MEDIAN 0.674489750196082 /* of |x| of a standard normal x */
#define NORMAL_HALF   1.959963984540054 /* half of its 95 % interval */

/* Half of the mean square of the successive differences of @n (2 to SERIES_SPREAD_RUNS) runs, less those that are out of all proportion. */
static double successive_variance(const SeriesRun *runs, size_t n) {
        double differences[SERIES_SPREAD_RUNS], sorted[SERIES_SPREAD_RUNS], most, squares = 0;
        size_t n_used = 0;

        for (size_t i = 0; i < n - 1; i++)
                differences[i] = sorted[i] = fabs(runs[i + 1].log - runs[i].log);
        most = SERIES_CLIP * quantile_median(sorted, n - 1) / NORMAL_MEDIAN;
        for (size_t i = 0; i < n - 1; i++) {
                if (differences[i] > most)
                        continue;
                squares += differences[i] * differences[i];
                n_used++;
        }
        return squares / (double)n_used / 2;
}

/* Median of the logs, and of the halves, of @n (1 to SERIES_LEVEL_RUNS) runs. */
static SeriesRun level_of(const SeriesRun *runs, size_t n) {
        double logs[SERIES_LEVEL_RUNS], halves[SERIES_LEVEL_RUNS];

        for (size_t i = 0; i < n; i++) {
                logs[i] = runs[i].log;
                halves[i] = runs[i].half;
        }
        return (SeriesRun){ .log = quantile_median(logs, n), .half = quantile_median(halves, n) };
}

/* How far @run may lie from the level of the @n_level last of @n runs before it, whose first is @before, without a change. */
static double reach(const SeriesRun *before, size_t n, const SeriesRun *level, size_t n_level, const SeriesRun *run,
                double confidence) {
        const double usual = pow(level->half / NORMAL_HALF, 2), own = pow(run->half / NORMAL_HALF, 2);
        const double variance = fmax(successive_variance(before, n), usual) + fmax(own - usual, 0);
        const double freedom = 2.0 * (double)((n - 1) * (n - 1)) / (double)(3 * n - 4);

        return gsl_cdf_tdist_Pinv((1 + confidence) / 2, freedom) * sqrt(variance * (1 + M_PI_2 / (double)n_level));
}

SeriesMark series_mark(const SeriesRun *runs, size_t n, const SeriesRule *rule) {
        const SeriesRun *run = &runs[n - 1];
        const size_t n_before = n - 1, n_level = n_before < SERIES_LEVEL_RUNS ? n_before : SERIES_LEVEL_RUNS;
        const size_t n_spread = n_before < SERIES_SPREAD_RUNS ? n_before : SERIES_SPREAD_RUNS;
        double difference, most;
        SeriesRun level;

        if (n_before == 0)
                return SERIES_NONE;
        level = level_of(run - n_level, n_level);
        if (n_before < SERIES_RUNS_MIN)
                most = log1p(rule->margin_few) + hypot(run->half, level.half);
        else
                most = log1p(rule->margin) + reach(run - n_spread, n_spread, &level, n_level, run, rule->confidence);
        difference = run->log - level.log;
        if (difference > most)
                return SERIES_SLOWER;
        return difference < -most ? SERIES_FASTER : SERIES_NONE;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ending.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "stats/sequence.h"
#include "util/cleanup.h"
#include "util/error.h"

#define PAIRS_MAX  32u
#define PLACES     4u
#define NEAR_SHARE 0.5 /* of the variance, between modes that are two deviations apart */
#define FAR_SHARE  0.8
#define LAG        0.3

/* The pairs of one comparison, in time order. */
typedef struct Pairs {
        double logs[PAIRS_MAX];
        uint32_t places[PAIRS_MAX];
} Pairs;

const char *ending_noise_name(EndingNoise noise) {
        static const char *const names[_ENDING_NOISE_N] = {
                [ENDING_NORMAL] = "normal",
                [ENDING_T3] = "Student's t, 3",
                [ENDING_MODES] = "two modes",
                [ENDING_MODES_FAR] = "two modes, far",
                [ENDING_LAG] = "lag 0.3",
        };

        return names[noise];
}

/* @between: the share of the variance that lies between the modes. */
static double draw_modes(gsl_rng *random, double between) {
        const double mode = gsl_rng_uniform(random) < 0.5 ? -1 : 1;

        return mode * sqrt(between) + gsl_ran_gaussian(random, sqrt(1 - between));
}

static double draw_noise(gsl_rng *random, EndingNoise noise, double before) {
        switch (noise) {
        case ENDING_T3:
                return gsl_ran_tdist(random, 3) / sqrt(3);
        case ENDING_MODES:
                return draw_modes(random, NEAR_SHARE);
        case ENDING_MODES_FAR:
                return draw_modes(random, FAR_SHARE);
        case ENDING_LAG:
                return LAG * before + gsl_ran_gaussian(random, sqrt(1 - LAG * LAG));
        default:
                return gsl_ran_gaussian(random, 1);
        }
}

/* Each four pairs have each place once, in an order drawn anew (front/plan/plan.c). */
static void pairs_draw(gsl_rng *random, const EndingScenario *scenario, Pairs *pairs) {
        double value = gsl_ran_gaussian(random, 1);
        uint32_t deck[PLACES];

        for (uint32_t i = 0; i < PAIRS_MAX; i++) {
                if (i % PLACES == 0) {
                        for (uint32_t j = 0; j < PLACES; j++)
                                deck[j] = j % scenario->n_strata;
                        gsl_ran_shuffle(random, deck, PLACES, sizeof *deck);
                }
                value = draw_noise(random, scenario->noise, value);
                pairs->logs[i] = log1p(scenario->truth) + scenario->spread * value;
                pairs->places[i] = deck[i % PLACES];
        }
}

/* Looks at @pairs until the comparison ends; @ret_n of them were run. */
static int pairs_compare(const Pairs *pairs, const EndingScenario *scenario, size_t n_rows, Comparison *ret_comparison,
                uint32_t *ret_n) {
        SequencePoint at = { .n = scenario->fixed ? 0 : SEQUENCE_LOOKS_N, .margin = ENDING_MARGIN };
        uint32_t n;

        for (;; at.look++) {
                n = scenario->fixed ? ENDING_FIXED : sequence_looks[at.look].pairs;
                int r = sequence_compare(pairs->logs, pairs->places, n, &at, ret_comparison);

                if (r)
                        return error_fold(r);
                if (sequence_outcome(ret_comparison, &at, n_rows) != SEQUENCE_GOES_ON)
                        break;
        }
        *ret_n = n;
        return 0;
}

static unsigned median_of(const size_t counts[static PAIRS_MAX + 1], size_t n) {
        size_t sum = 0;
        unsigned pairs = 0;

        while (2 * (sum += counts[pairs]) < n)
                pairs++;
        return pairs;
}

int ending_rates(gsl_rng *random, size_t n_draws, const EndingScenario *scenario, EndingRates *ret_rates) {
        size_t verdicts[_COMPARISON_VERDICT_N] = {}, counts[PAIRS_MAX + 1] = {}, n_covered = 0;
        double n = n_draws, sum = 0;

        for (size_t i = 0; i < n_draws; i++) {
                Comparison found;
                uint32_t n_pairs;
                Pairs pairs;
                int r;

                pairs_draw(random, scenario, &pairs);
                r = pairs_compare(&pairs, scenario, 1, &found, &n_pairs);
                if (r)
                        return error_trace(r);
                verdicts[found.verdict]++;
                counts[n_pairs]++;
                sum += n_pairs;
                n_covered += found.low <= 1 + scenario->truth && 1 + scenario->truth <= found.high;
        }
        *ret_rates = (EndingRates){
                .faster = verdicts[COMPARISON_FASTER] / n,
                .slower = verdicts[COMPARISON_SLOWER] / n,
                .same = verdicts[COMPARISON_SAME] / n,
                .none = verdicts[COMPARISON_UNRESOLVED] / n,
                .covered = n_covered / n,
                .mean_pairs = sum / n,
                .median_pairs = median_of(counts, n_draws),
        };
        return 0;
}

int ending_family_rate(gsl_rng *random, size_t n_draws, size_t n_rows, double *ret_share) {
        static const EndingScenario edge = { .spread = ENDING_MARGIN / 5, .truth = ENDING_MARGIN, .n_strata = PLACES };
        _cleanup_(freep) Comparison *rows = calloc(n_rows, sizeof *rows);
        const ComparisonRule rule = sequence_rule(&(SequencePoint){ .margin = ENDING_MARGIN });
        size_t n_wrong = 0;

        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < n_draws; i++) {
                bool wrong = false;
                int r = 0;

                for (size_t j = 0; j < n_rows && r == 0; j++) {
                        uint32_t n;
                        Pairs pairs;

                        pairs_draw(random, &edge, &pairs);
                        r = pairs_compare(&pairs, &edge, n_rows, &rows[j], &n);
                }
                if (r == 0)
                        r = comparisons_adjust(rows, n_rows, &rule);
                if (r)
                        return error_trace(r);
                for (size_t j = 0; j < n_rows; j++)
                        wrong |= rows[j].verdict == COMPARISON_SLOWER || rows[j].verdict == COMPARISON_FASTER;
                n_wrong += wrong;
        }
        *ret_share = (double)n_wrong / n_draws;
        return 0;
}

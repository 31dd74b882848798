/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Order statistics of several sorted sequences: those of all their values sorted at once, ties and empty sequences among them.
 */

#include "stats/views.h"

#include <gsl/gsl_statistics_double.h>

#include "random.h"
#include "stats/quantile.h"

#define VIEWS_MAX  9u
#define VALUES_MAX 60u /* of one */
#define ROUNDS     300u

typedef struct Sequences {
        double values[VIEWS_MAX][VALUES_MAX];
        double all[VIEWS_MAX * VALUES_MAX]; /* sorted */
        View views[2 * VIEWS_MAX];
        Views of;
} Sequences;

/* Few different values, so that many are equal. */
static void draw(gsl_rng *random, Sequences *sequences) {
        size_t n_views = 2 + gsl_rng_uniform_int(random, VIEWS_MAX - 1), n = 0;

        sequences->of = (Views){ .views = sequences->views, .n = n_views };
        for (size_t i = 0; i < n_views; i++) {
                size_t n_values = i == 0 ? 1 + gsl_rng_uniform_int(random, VALUES_MAX - 1)
                                         : gsl_rng_uniform_int(random, VALUES_MAX);

                for (size_t j = 0; j < n_values; j++)
                        sequences->values[i][j] = gsl_rng_uniform_int(random, 30) - 15.0;
                quantile_sort(sequences->values[i], n_values);
                memcpy(sequences->all + n, sequences->values[i], n_values * sizeof(double));
                sequences->views[i] = (View){ .first = sequences->values[i], .step = 1, .n = n_values };
                n += n_values;
        }
        quantile_sort(sequences->all, n);
        sequences->of.n_values = n;
}

TEST(each_rank_is_that_of_all_values_sorted) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        static Sequences sequences;

        for (size_t round = 0; round < ROUNDS; round++) {
                draw(random, &sequences);
                for (size_t rank = 0; rank < sequences.of.n_values; rank++)
                        assert_true(views_select(&sequences.of, rank) == sequences.all[rank]);
        }
}

TEST(each_value_has_as_many_before_it) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        static Sequences sequences;

        draw(random, &sequences);
        for (double value = -16; value <= 16; value += 0.5) {
                size_t under = 0, not_over = 0;

                for (size_t i = 0; i < sequences.of.n_values; i++) {
                        under += sequences.all[i] < value;
                        not_over += sequences.all[i] <= value;
                }
                assert_int_equal(views_count(&sequences.of, value, false), under);
                assert_int_equal(views_count(&sequences.of, value, true), not_over);
        }
}

TEST(quantiles_are_those_of_gsl) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        static Sequences sequences;

        for (size_t round = 0; round < ROUNDS; round++) {
                double p = gsl_rng_uniform(random), expected;

                draw(random, &sequences);
                expected = gsl_stats_quantile_from_sorted_data(sequences.all, 1, sequences.of.n_values, p);
                assert_true(fabs(views_quantile(&sequences.of, p) - expected) <= 1e-9 * (1 + fabs(expected)));
        }
}

TEST(centred_views_are_of_the_distances) {
        _cleanup_(random_freep) gsl_rng *random = new_random();
        static Sequences sequences;

        for (size_t round = 0; round < ROUNDS; round++) {
                double center = gsl_rng_uniform_int(random, 40) - 20.0;

                draw(random, &sequences);
                for (size_t i = 0; i < sequences.of.n_values; i++)
                        sequences.all[i] = fabs(sequences.all[i] - center);
                quantile_sort(sequences.all, sequences.of.n_values);
                views_center(&sequences.of, center);
                for (size_t rank = 0; rank < sequences.of.n_values; rank++)
                        assert_true(views_select(&sequences.of, rank) == sequences.all[rank]);
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Components of variance: R 4.2.2 on its own unbalanced data, and processes whose components are known. */

#include "random.h"
#include "stats/variance.h"

TEST(the_components_are_those_of_r) {
        /* chickwts; mean squares from summary(aov(log(weight) ~ feed, chickwts)), n0 = 11.8084507042 */
        static const struct {
                size_t n;
                double values[14];
        } feeds[] = {
                { 12, { 368, 390, 379, 260, 404, 318, 352, 359, 216, 222, 283, 332 } },
                { 10, { 179, 160, 136, 227, 217, 168, 108, 124, 143, 140 } },
                { 12, { 309, 229, 181, 141, 260, 203, 148, 169, 213, 257, 244, 271 } },
                { 11, { 325, 257, 303, 315, 380, 153, 263, 242, 206, 344, 258 } },
                { 14, { 243, 230, 248, 327, 329, 250, 193, 271, 316, 267, 199, 171, 158, 248 } },
                { 12, { 423, 340, 392, 339, 341, 226, 320, 295, 334, 322, 297, 318 } },
        };
        VarianceGroup groups[N_ELEMENTS(feeds)];
        VarianceComponents found;

        for (size_t i = 0; i < N_ELEMENTS(feeds); i++)
                assert_int_equal(variance_group(feeds[i].values, feeds[i].n, &groups[i]), 0);
        assert_int_equal(variance_components(groups, N_ELEMENTS(groups), &found), 0);
        assert_true(fabs(found.within - 0.224912371422053) < 1e-12);
        assert_true(fabs(found.between - 0.255803477937056) < 1e-12);
        assert_true(fabs(found.share - 0.563996368138556) < 1e-12);
}

/* Processes of different sizes, whose levels and samples deviate as told. */
static VarianceComponents components_of(gsl_rng *random, double within, double between) {
        enum {
                N_PROCESSES = 400
        };
        VarianceGroup groups[N_PROCESSES];
        VarianceComponents found;

        for (size_t i = 0; i < N_PROCESSES; i++) {
                double values[60], level = log(80) + gsl_ran_gaussian(random, between);
                size_t n = 10 + gsl_rng_uniform_int(random, 50);

                for (size_t j = 0; j < n; j++)
                        values[j] = exp(level + gsl_ran_gaussian(random, within));
                assert_int_equal(variance_group(values, n, &groups[i]), 0);
        }
        assert_int_equal(variance_components(groups, N_PROCESSES, &found), 0);
        return found;
}

TEST(known_components_are_found_again) {
        static const double cases[][2] = { { 0.01, 0.02 }, { 0.02, 0.01 }, { 0.01, 0 }, { 0.001, 0.1 } };
        _cleanup_(random_freep) gsl_rng *random = new_random();

        for (size_t i = 0; i < N_ELEMENTS(cases); i++) {
                VarianceComponents found = components_of(random, cases[i][0], cases[i][1]);

                assert_true(fabs(found.within / cases[i][0] - 1) < 0.06);
                assert_true(fabs(found.between - cases[i][1]) < 0.2 * cases[i][1] + 0.2 * cases[i][0]);
                assert_true(found.share >= 0 && found.share <= 1);
        }
}

TEST(a_large_mean_costs_no_digits) {
        const double near[] = { 1e9, 1e9 + 1, 1e9 + 2 };
        VarianceGroup group;

        assert_int_equal(variance_group(near, 3, &group), 0);
        assert_true(fabs(sqrt(group.squares / 2) - 1e-9) < 1e-14);
}

TEST(what_has_no_components_is_refused) {
        const double one[] = { 3 }, zero[] = { 1, 0 }, two[] = { 1, 2 };
        VarianceGroup groups[2];
        VarianceComponents found;

        assert_int_equal(variance_group(zero, 2, &groups[0]), VARIANCE_E_NOT_POSITIVE);
        assert_int_equal(variance_group(one, 1, &groups[0]), 0);
        groups[1] = groups[0];
        assert_int_equal(variance_components(groups, 2, &found), VARIANCE_E_TOO_FEW);
        assert_int_equal(variance_group(two, 2, &groups[0]), 0);
        assert_int_equal(variance_components(groups, 1, &found), VARIANCE_E_TOO_FEW);
        assert_int_equal(variance_components(groups, 0, &found), VARIANCE_E_TOO_FEW);
        assert_int_equal(variance_components(groups, 2, &found), 0);
}

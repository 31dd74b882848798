/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Limits of the configuration against the limit of open files: what is named is met or refused, what is not is lowered to what fits.
 */

#include "front/file-limit.h"

#include "front/base/config.h"
#include "test.h"

static const FileLimitNamed nothing, both = { .clients = true, .jobs = true };

TEST(the_defaults_fit_the_limits_of_the_units_and_of_a_login) {
        Config config, before;

        config_init(&before);
        config_init(&config);
        assert_int_equal(file_limit_fit(both, 4096, &config), 0);
        assert_int_equal(file_limit_fit_tickets(both, 4096 / 2, &config), FILE_LIMIT_E_TOO_FEW);
        assert_int_equal(file_limit_fit_tickets(both, 4096 - 384, &config), 0);
        assert_int_equal(config.jobs, before.jobs);
        assert_int_equal(config.clients, before.clients);
}

TEST(a_default_is_lowered_to_what_fits_and_no_further) {
        for (uint64_t n_files = 256; n_files < 8192; n_files += 7) {
                Config config, before;

                config_init(&before);
                config_init(&config);
                assert_int_equal(file_limit_fit(nothing, n_files, &config), 0);
                assert_true(file_limit_needed(&config) <= n_files);
                assert_true(config.jobs >= 1 && config.clients >= 1);
                if (config.jobs == before.jobs)
                        continue;
                config.jobs++;
                assert_true(file_limit_needed(&config) > n_files);
        }
}

TEST(what_is_named_is_left_and_refused_where_it_does_not_fit) {
        Config config;

        config_init(&config);
        config.jobs = 4096;
        assert_int_equal(file_limit_fit(both, 4096, &config), FILE_LIMIT_E_TOO_FEW);
        assert_int_equal(config.jobs, 4096);
        assert_int_equal(file_limit_fit(both, file_limit_needed(&config), &config), 0);
        assert_int_equal(file_limit_fit(both, file_limit_needed(&config) - 1, &config), FILE_LIMIT_E_TOO_FEW);
        assert_int_equal(file_limit_fit_tickets(both, file_limit_needed_of_tickets(&config), &config), 0);
        assert_int_equal(file_limit_fit_tickets(both, file_limit_needed_of_tickets(&config) - 1, &config),
                        FILE_LIMIT_E_TOO_FEW);
}

TEST(without_room_for_one_job_nothing_fits) {
        Config config;

        config_init(&config);
        assert_int_equal(file_limit_fit(nothing, 100, &config), FILE_LIMIT_E_TOO_FEW);
        assert_int_equal(file_limit_fit_tickets(nothing, 30, &config), FILE_LIMIT_E_TOO_FEW);
}

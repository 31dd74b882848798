/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The places for jobs: the last ones are root's, and a refusal says which limit it is. */

#include "front/base/job-places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/base/config.h"

static void the_last_places_are_roots(void **state) {
        Config config;

        config_init(&config);
        assert_int_equal(job_places_for(&config, 0), 64);
        assert_int_equal(job_places_for(&config, 1000), 60);
        config.jobs_for_root = 0;
        assert_int_equal(job_places_for(&config, 1000), 64);
}

static void one_place_at_least_is_left_to_the_others(void **state) {
        Config config;

        config_init(&config);
        for (config.jobs = 1; config.jobs <= 5; config.jobs++)
                assert_int_equal(job_places_for(&config, 1000), 1);
        assert_int_equal(config.jobs_for_root, 4);
}

static void a_refusal_names_the_limit_and_its_option(void **state) {
        ReplyError why;
        Config config;

        config_init(&config);
        job_places_refuse(&config, 1000, true, &why);
        assert_int_equal(why.code, BENCHD__ERROR__CODE__BUSY);
        assert_string_equal(why.message, "This user has 8 jobs waiting or under way, as many as one may have.");
        assert_non_null(strstr(why.hint, "jobs_per_user= of benchd.conf"));

        job_places_refuse(&config, 1000, false, &why);
        assert_string_equal(why.message, "All 60 places for jobs are taken; 4 more are kept for root.");
        assert_non_null(strstr(why.hint, "jobs= of benchd.conf, of which jobs_for_root= are root's"));

        job_places_refuse(&config, 0, false, &why);
        assert_string_equal(why.message, "All 64 places for jobs are taken.");
        assert_non_null(strstr(why.hint, "jobs= of benchd.conf."));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_last_places_are_roots),
                cmocka_unit_test(one_place_at_least_is_left_to_the_others),
                cmocka_unit_test(a_refusal_names_the_limit_and_its_option),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

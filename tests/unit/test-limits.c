/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The places for jobs and connections: the last ones are root's, and a refusal says which limit it is. */

#include "front/base/limits.h"

#include "front/base/config.h"
#include "test.h"

TEST(the_last_places_are_roots) {
        Config config;

        config_init(&config);
        assert_int_equal(limits_for(&config, LIMIT_JOB, 0), 64);
        assert_int_equal(limits_for(&config, LIMIT_JOB, 1000), 60);
        assert_int_equal(limits_for(&config, LIMIT_CONNECTION, 0), 256);
        assert_int_equal(limits_for(&config, LIMIT_CONNECTION, 1000), 248);
        config.jobs_for_root = config.clients_for_root = 0;
        assert_int_equal(limits_for(&config, LIMIT_JOB, 1000), 64);
        assert_int_equal(limits_for(&config, LIMIT_CONNECTION, 1000), 256);
}

TEST(one_place_at_least_is_left_to_the_others) {
        Config config;

        config_init(&config);
        for (config.jobs = 1; config.jobs <= 5; config.jobs++)
                assert_int_equal(limits_for(&config, LIMIT_JOB, 1000), 1);
        for (config.clients = 1; config.clients <= 9; config.clients++)
                assert_int_equal(limits_for(&config, LIMIT_CONNECTION, 1000), 1);
        assert_int_equal(config.jobs_for_root, 4);
        assert_int_equal(config.clients_for_root, 8);
}

typedef struct Refusal {
        LimitKind kind;
        uid_t uid;
        bool user_full;
        const char *message, *hint;
} Refusal;

TEST(a_refusal_names_the_limit_and_its_option) {
        static const Refusal refusals[] = {
                { LIMIT_JOB, 1000, true, "This user has 8 jobs waiting or under way, the limit for one user.",
                                "jobs_per_user= of benchd.conf." },
                { LIMIT_JOB, 1000, false, "All 60 places for jobs are taken; 4 more are kept for root.",
                                "jobs= of benchd.conf, of which jobs_for_root= are root's." },
                { LIMIT_JOB, 0, false, "All 64 places for jobs are taken.", "jobs= of benchd.conf." },
                { LIMIT_CONNECTION, 0, true, "This user has 64 connections open, the limit for one user.",
                                "clients_per_user= of benchd.conf." },
                { LIMIT_CONNECTION, 1000, false, "All 248 places for connections are taken; 8 more are kept for root.",
                                "clients= of benchd.conf, of which clients_for_root= are root's." },
                { LIMIT_CONNECTION, 0, false, "All 256 places for connections are taken.", "clients= of benchd.conf." },
        };
        Config config;

        config_init(&config);
        for (size_t i = 0; i < N_ELEMENTS(refusals); i++) {
                const Refusal *refusal = &refusals[i];
                ReplyError why;

                limits_refuse(&config, refusal->kind, refusal->uid, refusal->user_full, &why);
                assert_int_equal(why.code, BENCHD__ERROR__CODE__BUSY);
                assert_string_equal(why.message, refusal->message);
                assert_non_null(strstr(why.hint, refusal->hint));
        }
}

TEST(one_is_not_told_as_several) {
        ReplyError why;
        Config config;

        config_init(&config);
        config.clients = 2;
        config.clients_per_user = config.clients_for_root = 1;
        limits_refuse(&config, LIMIT_CONNECTION, 1000, true, &why);
        assert_string_equal(why.message, "This user has 1 connection open, the limit for one user.");
        limits_refuse(&config, LIMIT_CONNECTION, 1000, false, &why);
        assert_string_equal(why.message, "The only place for a connection is taken; 1 more is kept for root.");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Conditions of --fail-on: which words each command takes, and which exit code wins. */

#include "ctl/model/fail-on.h"

#include <jansson.h>

#include "ctl/app/verbs.h"
#include "ctl/base/exit.h"
#include "test.h"

static FailOn conditions_of(const char *text, const char *verb) {
        FailOn conditions = {};

        assert_int_equal(fail_on_add(&conditions, text, verb_find(verb)), 0);
        return conditions;
}

TEST(a_list_is_of_words_that_the_command_can_find) {
        static const char *const wrong[] = { "", "faster", "slow", "slower,", ",slower", "slower unfit",
                "unfit,faster" };
        FailOn conditions = {};

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++)
                assert_int_equal(fail_on_add(&conditions, wrong[i], verb_find("compare")), FAIL_ON_E_UNKNOWN);
        assert_false(fail_on_compares(&(FailOn){ .words = conditions_of("unfit,time>1s", "run").words }));
        assert_true(fail_on_compares(&(FailOn){ .words = conditions_of("unfit,slower", "run").words }));
        assert_true(fail_on_compares(&(FailOn){ .words = conditions_of("unresolved", "run").words }));
        assert_int_equal(conditions_of("slower,unfit", "compare").words,
                        conditions_of("unfit,slower,unfit", "compare").words);
        assert_int_equal(conditions_of("unfit", "run").words, conditions_of("unfit", "wait").words);
        assert_int_equal(conditions.words, 0); /* nothing of a list that was refused */
        assert_int_equal(fail_on_add(&conditions, "unfit", verb_find("compare")), 0);
        assert_int_equal(fail_on_add(&conditions, "slower", verb_find("compare")), 0);
        assert_int_equal(conditions.words, conditions_of("unfit,slower", "compare").words);
}

TEST(a_limit_of_time_has_a_number_and_a_unit) {
        static const char *const wrong[] = { "time", "time>", "time>5", "time>ms", "time>-5ms", "time>0ms", "time>5 ms",
                "time>5m", "time>nans", "time>infs", "time()>5ms", "time(x>5ms", "timex>5ms", "time<5ms",
                "time>1s,time>1s,time>1s,time>1s,time>1s,time>1s,time>1s,time>1s,time>1s" };
        static const struct {
                const char *text;
                double ns;
        } right[] = { { "time>5ms", 5e6 }, { "time>0.5ns", 0.5 }, { "time>1e3us", 1e6 }, { "time>7µs", 7e3 },
                { "time(a>b)>2s", 2e9 }, { "time>300ps", 0.3 } };
        FailOn conditions = {};

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++)
                if (fail_on_add(&conditions, wrong[i], verb_find("run")) != FAIL_ON_E_LIMIT)
                        fail_msg("%s was taken", wrong[i]);
        assert_int_equal(fail_on_add(&conditions, "time>5ms", verb_find("compare")), FAIL_ON_E_UNKNOWN);
        for (size_t i = 0; i < N_ELEMENTS(right); i++)
                assert_true(fabs(conditions_of(right[i].text, "run").limits[0].limit_ns - right[i].ns) < 1e-9);
}

typedef struct Judged {
        const char *conditions;
        const char *result;
        int exit;
} Judged;

TEST(an_unfit_run_is_said_before_what_it_found) {
        static const Judged rows[] = {
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same', 'mean_verdict': 'slower'}]}",
                                EXIT_REGRESSION },
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'slower'}]}",
                                EXIT_REGRESSION },
                { "slower", "{'verdict': 'unfit', 'comparisons': [{'verdict': 'slower'}]}", EXIT_REGRESSION },
                { "slower,unresolved", "{'verdict': 'fit', 'comparisons': [{'findings': [{'kind': 'unlike-times'}]}]}",
                                EXIT_DONE },
                { "slower,unresolved",
                                "{'verdict': 'fit', 'comparisons': [{'findings': [{'kind': 'unlike-times'}]}, {}]}",
                                EXIT_UNRESOLVED },
                { "slower,unfit", "{'verdict': 'unfit', 'comparisons': [{'verdict': 'slower'}]}", EXIT_UNFIT },
                { "slower,unfit", "{'verdict': 'fit', 'comparisons': [{'verdict': 'faster'}]}", EXIT_DONE },
                { "unresolved,slower",
                                "{'verdict': 'fit', 'comparisons': [{'verdict': 'unresolved'}, {'verdict': 'slower'}]}",
                                EXIT_REGRESSION },
                { "unresolved", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'unresolved'}]}",
                                EXIT_UNRESOLVED },
                { "unresolved", "{'verdict': 'fit', 'comparisons': [{'verdict': null}]}", EXIT_UNRESOLVED },
                { "unresolved", "{'verdict': 'unfit', 'comparisons': [{'verdict': 'slower'}]}", EXIT_DONE },
                { "unfit", "{'verdict': 'unfit', 'comparisons': []}", EXIT_UNFIT },
                { "slower,unresolved,unfit", "{'verdict': 'fit', 'comparisons': []}", EXIT_DONE },
                { "time>5us", "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0, 'low': 5001.0}}]}",
                                EXIT_LIMIT },
                { "time>5us", "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0, 'low': 5000.0}}]}",
                                EXIT_DONE },
                { "time>5us", "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0, 'low': null}}]}",
                                EXIT_LIMIT },
                { "time>5us", "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': null}]}", EXIT_DONE },
                { "time(y*)>5us", "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0}}]}",
                                EXIT_DONE },
                { "time(y*)>5us,time(a/x)>1us,time>1s",
                                "{'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0}}]}",
                                EXIT_LIMIT },
                { "time>5us,unfit",
                                "{'verdict': 'unfit', 'benchmarks': [{'area': 'a', 'name': 'x', 'time_ns': {'point': 6000.0}}]}",
                                EXIT_UNFIT },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char text[256];
                FailOn conditions = {};
                json_t *result;

                snprintf(text, sizeof text, "%s", rows[i].result);
                for (char *c = text; *c; c++)
                        *c = *c == '\'' ? '"' : *c;
                result = json_loads(text, 0, NULL);
                assert_non_null(result);
                conditions = conditions_of(rows[i].conditions, strstr(rows[i].conditions, "time") ? "show" : "compare");
                assert_int_equal(fail_on_judge(&conditions, result), rows[i].exit);
                assert_int_equal(fail_on_judge(&(const FailOn){}, result), EXIT_DONE);
                json_decref(result);
        }
}

TEST(a_bisection_knows_bad_from_good_and_both_from_what_does_not_tell) {
        static const struct {
                const char *bad;
                const char *result;
                int exit;
        } rows[] = {
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'faster'}]}",
                                EXIT_DONE },
                { "faster", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'slower'}]}",
                                EXIT_DONE },
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'unresolved'}, {'verdict': 'slower'}]}",
                                EXIT_REGRESSION },
                { "faster", "{'verdict': 'fit', 'comparisons': [{'verdict': 'slower'}, {'verdict': 'faster'}]}",
                                EXIT_REGRESSION },
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'unresolved'}]}",
                                EXIT_UNRESOLVED },
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {}]}", EXIT_UNRESOLVED },
                { "slower", "{'verdict': 'unfit', 'comparisons': [{'verdict': 'slower'}]}", EXIT_UNFIT },
                { "slower", "{'verdict': 'fit', 'comparisons': []}", EXIT_UNRESOLVED },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                FailOn conditions = {};
                char text[256];
                json_t *result;

                snprintf(text, sizeof text, "%s", rows[i].result);
                for (char *c = text; *c; c++)
                        *c = *c == '\'' ? '"' : *c;
                result = json_loads(text, 0, NULL);
                assert_int_equal(fail_on_bisect(&conditions, rows[i].bad), 0);
                assert_true(conditions.bisects);
                assert_int_equal(fail_on_judge(&conditions, result), rows[i].exit);
                json_decref(result);
        }
        assert_int_equal(fail_on_bisect(&(FailOn){}, "unfit"), FAIL_ON_E_UNKNOWN);
}

TEST(no_mistake_is_a_bad_commit_to_git) {
        for (int code = 0; code < 256; code++) {
                const int exit = fail_on_bisect_exit(code);

                assert_true(exit == code ? code == EXIT_DONE || code == EXIT_REGRESSION || code == EXIT_CANCELLED ||
                                                                code == EXIT_BISECT_STOP
                                         : exit == EXIT_BISECT_SKIP || exit == EXIT_BISECT_STOP);
        }
        assert_int_equal(fail_on_bisect_exit(EXIT_BENCHMARK), EXIT_BISECT_SKIP);
        assert_int_equal(fail_on_bisect_exit(EXIT_UNFIT), EXIT_BISECT_SKIP);
        assert_int_equal(fail_on_bisect_exit(EXIT_UNRESOLVED), EXIT_BISECT_SKIP);
        assert_int_equal(fail_on_bisect_exit(EXIT_USAGE), EXIT_BISECT_STOP);
        assert_int_equal(fail_on_bisect_exit(EXIT_DAEMON), EXIT_BISECT_STOP);
        assert_int_equal(fail_on_bisect_exit(EXIT_MACHINE), EXIT_BISECT_STOP);
}

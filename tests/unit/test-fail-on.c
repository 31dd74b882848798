/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Conditions of --fail-on: which words each command takes, and which exit code wins.
 */

#include "ctl/fail-on.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "ctl/exit.h"
#include "ctl/verb.h"
#include "util/cleanup.h"

static unsigned conditions_of(const char *text, const char *verb) {
        unsigned conditions = 0;

        assert_int_equal(fail_on_parse(text, verb_find(verb), &conditions), 0);
        return conditions;
}

static void a_list_is_of_words_that_the_command_can_find(void **state) {
        static const char *const wrong[] = { "", "faster", "slow", "slower,", ",slower", "slower unfit",
                "unfit,faster" };
        unsigned conditions;

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++)
                assert_int_equal(fail_on_parse(wrong[i], verb_find("compare"), &conditions), FAIL_ON_E_UNKNOWN);
        assert_int_equal(fail_on_parse("slower", verb_find("run"), &conditions), FAIL_ON_E_UNKNOWN);
        assert_int_equal(conditions_of("slower,unfit", "compare"), conditions_of("unfit,slower,unfit", "compare"));
        assert_int_equal(conditions_of("unfit", "run"), conditions_of("unfit", "wait"));
}

typedef struct Judged {
        const char *conditions;
        const char *result;
        int exit;
} Judged;

static void an_unfit_run_is_said_before_what_it_found(void **state) {
        static const Judged rows[] = {
                { "slower", "{'verdict': 'fit', 'comparisons': [{'verdict': 'same'}, {'verdict': 'slower'}]}",
                                EXIT_REGRESSION },
                { "slower", "{'verdict': 'unfit', 'comparisons': [{'verdict': 'slower'}]}", EXIT_REGRESSION },
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
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                char text[256];
                json_t *result;

                snprintf(text, sizeof text, "%s", rows[i].result);
                for (char *c = text; *c; c++)
                        *c = *c == '\'' ? '"' : *c;
                result = json_loads(text, 0, NULL);
                assert_non_null(result);
                assert_int_equal(fail_on_judge(conditions_of(rows[i].conditions, "compare"), result), rows[i].exit);
                assert_int_equal(fail_on_judge(0, result), EXIT_DONE);
                json_decref(result);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_list_is_of_words_that_the_command_can_find),
                cmocka_unit_test(an_unfit_run_is_said_before_what_it_found),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

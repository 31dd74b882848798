/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expected values of scans and of the order of combinations are those that hyperfine 1.15 prints. */

#include <stdlib.h>
#include <string.h>

#include "ctl/ask/exec/exec-parameters.h"
#include "test.h"
#include "util/cleanup.h"

static char problem[EXEC_PROBLEM_BYTES];

static void assert_values(const ExecScale *scale, const char *joined) {
        char text[1024] = "";

        for (size_t i = 0; i < scale->n; i++) {
                strcat(text, i > 0 ? " " : "");
                strcat(text, scale->values[i]);
        }
        assert_string_equal(text, joined);
}

TEST(a_scan_has_both_ends_and_exact_decimals) {
        const struct {
                const char *text, *step, *values;
        } rows[] = {
                { "n,1,4", NULL, "1 2 3 4" },
                { "n,-1,1", NULL, "-1 0 1" },
                { "n,1,2", "0.5", "1 1.5 2.0" },
                { "n,0.1,0.5", "0.1", "0.1 0.2 0.3 0.4 0.5" },
                { "n,1,10", "4", "1 5 9" },
                { "n,5,5", NULL, "5" },
                { "n,-0.5,0.5", "0.5", "-0.5 0.0 0.5" },
                { "n,999999999,999999999", NULL, "999999999" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(exec_scales_clear) ExecScales scales = {};

                assert_true(exec_scales_add_scan(&scales, rows[i].text, rows[i].step, problem));
                assert_values(&scales.all[0], rows[i].values);
        }
}

TEST(a_scan_that_cannot_be_is_refused_in_words) {
        const struct {
                const char *text, *step, *mentions;
        } rows[] = {
                { "n,1,4", "0", "must be over 0" },
                { "n,1,4", "-1", "must be over 0" },
                { "n,1,4", "x", "takes a number" },
                { "n,4,1", NULL, "counts upwards" },
                { "n,1,x", NULL, "VAR MIN MAX" },
                { "n,1,", NULL, "VAR MIN MAX" },
                { "n,1", NULL, "VAR MIN MAX" },
                { "n,1,2,3", NULL, "VAR MIN MAX" },
                { "n,1e3,2e3", NULL, "VAR MIN MAX" },
                { "n,1,9999999999", NULL, "VAR MIN MAX" },
                { "n", NULL, "takes a name" },
                { ",1,2", NULL, "takes a name" },
                { "{n},1,2", NULL, "takes a name" },
                { "n,1,65", NULL, "65 values, of at most 64" },
                { "n,0,999999999", "0.000000001", "of at most 64" },
        };

        for (size_t i = 0; i < N_ELEMENTS(rows); i++) {
                _cleanup_(exec_scales_clear) ExecScales scales = {};

                if (exec_scales_add_scan(&scales, rows[i].text, rows[i].step, problem))
                        fail_msg("%s is taken", rows[i].text);
                if (!strstr(problem, rows[i].mentions))
                        fail_msg("'%s' does not mention '%s'", problem, rows[i].mentions);
        }
}

TEST(a_list_has_empty_values_and_commas) {
        _cleanup_(exec_scales_clear) ExecScales scales = {};

        assert_true(exec_scales_add_list(&scales, "c,gcc,clang -O2", problem));
        assert_true(exec_scales_add_list(&scales, "d,a\\,b,,e\\f", problem));
        assert_values(&scales.all[0], "gcc clang -O2");
        assert_int_equal(scales.all[0].n, 2);
        assert_values(&scales.all[1], "a,b  e\\f");
        assert_false(exec_scales_add_list(&scales, "c,x", problem));
        assert_string_equal(problem, "the parameter 'c' is given twice");
}

TEST(the_first_parameter_varies_fastest) {
        static const char *const expected[] = { "1x", "2x", "1y", "2y" };
        _cleanup_(exec_scales_clear) ExecScales scales = {};
        ExecParameter parameters[EXEC_PARAMETERS_MAX];

        assert_int_equal(exec_scales_combinations(&scales), 1);
        assert_true(exec_scales_add_list(&scales, "a,1,2", problem));
        assert_true(exec_scales_add_list(&scales, "b,x,y", problem));
        assert_int_equal(exec_scales_combinations(&scales), 4);
        for (size_t i = 0; i < N_ELEMENTS(expected); i++) {
                _cleanup_(freep) char *text = NULL;

                exec_scales_combine(&scales, i, parameters);
                text = exec_substitute("{a}{b}", parameters, scales.n);
                assert_string_equal(text, expected[i]);
        }
}

TEST(a_value_is_put_in_once_and_other_braces_stay) {
        const ExecParameter parameters[] = { { "a", "{b}" }, { "b", "" } };
        _cleanup_(freep) char *text = exec_substitute("{a} {b}{c} ${a} {{a}} {a", parameters, 2);

        assert_string_equal(text, "{b} {c} ${b} {{b}} {a");
        assert_true(exec_uses("x{a}", "a"));
        assert_false(exec_uses("x{ab} {a a}", "a"));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/report/result.h"

#define VERDICT(word) BENCHD__RUN_RESULT__VERDICT__##word

static Benchd__RunResult__Verdict verdict(size_t measured, size_t unfit, size_t failed) {
        return result_verdict(&(MeasurementCount){ .measured = measured, .unfit = unfit, .failed = failed }, false);
}

static void one_unfit_benchmark_makes_the_run_unfit(void **state) {
        assert_int_equal(verdict(3, 0, 0), VERDICT(FIT));
        assert_int_equal(verdict(3, 1, 0), VERDICT(UNFIT));
        assert_int_equal(verdict(3, 3, 0), VERDICT(UNFIT));
}

static void what_lacks_a_number_says_so_first(void **state) {
        assert_int_equal(verdict(2, 2, 1), VERDICT(PARTIAL));
        assert_int_equal(verdict(0, 0, 1), VERDICT(FAILED));
        assert_int_equal(verdict(0, 0, 0), VERDICT(SKIPPED));
        assert_int_equal(result_verdict(&(MeasurementCount){ .measured = 2, .unfit = 1 }, true), VERDICT(PARTIAL));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(one_unfit_benchmark_makes_the_run_unfit),
                cmocka_unit_test(what_lacks_a_number_says_so_first),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

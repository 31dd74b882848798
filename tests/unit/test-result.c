/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "front/report/result.h"

#include "test.h"

#define VERDICT(word) BENCHD__RUN_RESULT__VERDICT__##word

static Benchd__RunResult__Verdict verdict(size_t measured, size_t unfit, size_t failed) {
        return result_verdict(&(MeasurementCount){ .measured = measured, .unfit = unfit, .failed = failed }, false);
}

TEST(one_unfit_benchmark_makes_the_run_unfit) {
        assert_int_equal(verdict(3, 0, 0), VERDICT(FIT));
        assert_int_equal(verdict(3, 1, 0), VERDICT(UNFIT));
        assert_int_equal(verdict(3, 3, 0), VERDICT(UNFIT));
}

TEST(what_lacks_a_number_says_so_first) {
        assert_int_equal(verdict(2, 2, 1), VERDICT(PARTIAL));
        assert_int_equal(verdict(0, 0, 1), VERDICT(FAILED));
        assert_int_equal(verdict(0, 0, 0), VERDICT(SKIPPED));
        assert_int_equal(result_verdict(&(MeasurementCount){ .measured = 2, .unfit = 1 }, true), VERDICT(PARTIAL));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Whether threads ran side by side, from when each began and ended.
 */

#include "front/samples/company.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/cleanup.h"

static Sample sample(uint64_t start, uint64_t stop) {
        return (Sample){ .start_ticks = start, .ticks = stop - start };
}

static double share_of(const Sample *samples, size_t n, uint32_t n_threads) {
        Company company = {};

        company_add(&company, samples, n, n_threads);
        return company_share(&company);
}

static void threads_that_begin_and_end_together_are_in_company(void **state) {
        const Sample samples[] = { sample(1000, 2000), sample(1001, 2010), sample(999, 1990) };

        assert_true(share_of(samples, 3, 3) == 1);
}

static void threads_that_take_turns_are_not(void **state) {
        const Sample samples[] = { sample(1000, 2000), sample(2000, 3000), sample(9000, 9900), sample(7000, 8000) };

        assert_true(share_of(samples, 4, 2) == 0);
}

/* Half of the time from the first start to the last stop is enough, and not a tick less. */
static void half_of_a_batch_is_enough(void **state) {
        const Sample enough[] = { sample(1000, 2000), sample(1000, 3000) };
        const Sample less[] = { sample(1000, 2000), sample(1000, 3001) };

        assert_true(share_of(enough, 2, 2) == 1);
        assert_true(share_of(less, 2, 2) == 0);
}

static void each_batch_counts_once_and_what_is_no_whole_one_does_not(void **state) {
        const Sample samples[] = { sample(1, 9), sample(1, 9), sample(10, 20), sample(30, 40), sample(50, 60) };

        assert_true(share_of(samples, N_ELEMENTS(samples), 2) == 0.5);
}

static void one_thread_has_all_the_company_that_it_wants(void **state) {
        const Sample samples[] = { sample(1, 2), sample(100, 200) };

        assert_true(share_of(samples, 2, 1) == 1);
        assert_true(share_of(samples, 0, 2) == 1);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(threads_that_begin_and_end_together_are_in_company),
                cmocka_unit_test(threads_that_take_turns_are_not),
                cmocka_unit_test(half_of_a_batch_is_enough),
                cmocka_unit_test(each_batch_counts_once_and_what_is_no_whole_one_does_not),
                cmocka_unit_test(one_thread_has_all_the_company_that_it_wants),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

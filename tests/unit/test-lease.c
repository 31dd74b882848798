/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "launch/lease.h"
#include "util/cpu-list.h"

static void init(Leases *leases, const char *list) {
        cpu_set_t allowed;

        assert_int_equal(cpu_list_parse(list, &allowed), 0);
        leases_init(leases, &allowed);
        for (size_t i = 0; i < leases->n_leases; i++)
                leases->leases[i].calibrated = true;
}

static void the_lowest_cpu_keeps_house_and_the_others_are_lent_from_the_top(void **state) {
        Leases leases;

        init(&leases, "2-4,9");
        assert_int_equal(leases.housekeeping, 2);
        assert_int_equal(leases_take(&leases)->cpu, 9);
        assert_int_equal(leases_take(&leases)->cpu, 4);
        assert_int_equal(leases_take(&leases)->cpu, 3);
        assert_null(leases_take(&leases));
}

static void what_is_given_back_can_be_lent_again(void **state) {
        Leases leases;
        Lease *lease;

        init(&leases, "0-1");
        lease = leases_take(&leases);
        assert_non_null(lease);
        assert_null(leases_take(&leases));
        lease_give_back(lease);
        assert_ptr_equal(leases_take(&leases), lease);
        lease_give_back(NULL);
}

static void a_single_cpu_is_lent_without_fifo(void **state) {
        Leases leases;
        Lease *lease;

        init(&leases, "0");
        lease = leases_take(&leases);
        assert_int_equal(lease->cpu, 0);
        assert_false(lease->fifo);
        assert_int_equal(leases.housekeeping, 0);
}

static void any_other_cpu_is_lent_with_fifo(void **state) {
        Leases leases;

        init(&leases, "0-1");
        assert_true(leases_take(&leases)->fifo);
}

static void what_is_not_calibrated_is_lent_only_to_be(void **state) {
        Leases leases;
        Lease *lease;

        init(&leases, "0-2");
        leases.leases[1].calibrated = false;
        assert_int_equal(leases_take(&leases)->cpu, 1);
        assert_null(leases_take(&leases));
        lease = leases_take_uncalibrated(&leases);
        assert_int_equal(lease->cpu, 2);
        assert_null(leases_take_uncalibrated(&leases));
        lease_give_back(lease);
        assert_null(leases_take(&leases));
        lease->failures = LEASE_FAILURES_MAX;
        assert_null(leases_take_uncalibrated(&leases));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_lowest_cpu_keeps_house_and_the_others_are_lent_from_the_top),
                cmocka_unit_test(what_is_given_back_can_be_lent_again),
                cmocka_unit_test(a_single_cpu_is_lent_without_fifo),
                cmocka_unit_test(any_other_cpu_is_lent_with_fifo),
                cmocka_unit_test(what_is_not_calibrated_is_lent_only_to_be),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

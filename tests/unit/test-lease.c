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

/* Lends one CPU. Returns its number, or -1. */
static int take_one(Leases *leases) {
        LeaseSet set;

        return leases_take(leases, 1, &set) ? set.leases[0]->cpu : -1;
}

static void the_lowest_cpu_keeps_house_and_the_others_are_lent_from_the_top(void **state) {
        Leases leases;

        init(&leases, "2-4,9");
        assert_int_equal(leases.housekeeping, 2);
        assert_int_equal(take_one(&leases), 9);
        assert_int_equal(take_one(&leases), 4);
        assert_int_equal(take_one(&leases), 3);
        assert_int_equal(take_one(&leases), -1);
}

static void what_is_given_back_can_be_lent_again(void **state) {
        Leases leases;
        LeaseSet set;

        init(&leases, "0-1");
        assert_true(leases_take(&leases, 1, &set));
        assert_int_equal(take_one(&leases), -1);
        lease_set_give_back(&set);
        assert_int_equal(take_one(&leases), 1);
        lease_set_give_back(&set);
        lease_give_back(NULL);
}

static void a_single_cpu_is_lent_without_fifo(void **state) {
        Leases leases;
        LeaseSet set;

        init(&leases, "0");
        assert_int_equal(leases_most(&leases), 1);
        assert_true(leases_take(&leases, 1, &set));
        assert_int_equal(set.leases[0]->cpu, 0);
        assert_false(lease_set_fifo(&set));
        assert_int_equal(leases.housekeeping, 0);
}

static void any_other_cpu_is_lent_with_fifo(void **state) {
        Leases leases;
        LeaseSet set;

        init(&leases, "0-1");
        assert_true(leases_take(&leases, 1, &set));
        assert_true(lease_set_fifo(&set));
}

static void what_is_not_calibrated_is_lent_only_to_be(void **state) {
        Leases leases;
        Lease *lease;

        init(&leases, "0-2");
        leases.leases[1].calibrated = false;
        assert_int_equal(take_one(&leases), 1);
        assert_int_equal(take_one(&leases), -1);
        lease = leases_take_uncalibrated(&leases);
        assert_int_equal(lease->cpu, 2);
        assert_null(leases_take_uncalibrated(&leases));
        lease_give_back(lease);
        assert_int_equal(take_one(&leases), -1);
        lease->failures = LEASE_FAILURES_MAX;
        assert_null(leases_take_uncalibrated(&leases));
}

static void several_are_lent_at_once_or_none_is(void **state) {
        Leases leases;
        LeaseSet two, three;

        init(&leases, "0-4");
        assert_true(leases_take(&leases, 2, &two));
        assert_int_equal(two.n, 2);
        assert_int_equal(two.leases[0]->cpu, 4);
        assert_int_equal(two.leases[1]->cpu, 3);
        assert_true(lease_set_fifo(&two));
        assert_false(leases_take(&leases, 3, &three));
        assert_int_equal(take_one(&leases), 2);
        lease_set_give_back(&two);
        assert_int_equal(two.n, 0);
        assert_true(leases_take(&leases, 3, &three));
        assert_int_equal(three.leases[2]->cpu, 1);
        assert_int_equal(take_one(&leases), -1);
}

static void the_housekeeping_cpu_is_lent_last_and_only_to_what_would_never_have_enough(void **state) {
        Leases leases;
        LeaseSet set, other;

        init(&leases, "0-2");
        assert_int_equal(leases_most(&leases), 3);
        assert_true(leases_take(&leases, 2, &set));
        assert_int_equal(set.leases[1]->cpu, 1);
        assert_false(leases_take(&leases, 1, &other));
        lease_set_give_back(&set);

        assert_true(leases_take(&leases, 3, &set));
        assert_int_equal(set.leases[0]->cpu, 2);
        assert_int_equal(set.leases[2]->cpu, 0);
        assert_false(lease_set_fifo(&set));
        assert_false(leases_take(&leases, 3, &other));
        lease_set_give_back(&set);
        assert_false(leases_take(&leases, 4, &set));
        assert_int_equal(take_one(&leases), 2);
        assert_false(leases_take(&leases, 3, &set));
}

static void what_is_given_up_counts_no_longer_and_what_is_not_calibrated_yet_does(void **state) {
        Leases leases;
        LeaseSet set;

        init(&leases, "0-2");
        leases.leases[0].calibrated = false;
        assert_int_equal(leases_most(&leases), 3);
        assert_false(leases_take(&leases, 2, &set));
        leases.leases[0].failures = LEASE_FAILURES_MAX;
        assert_int_equal(leases_most(&leases), 2);
        assert_true(leases_take(&leases, 2, &set));
        assert_int_equal(set.leases[1]->cpu, 0);
        assert_false(lease_set_fifo(&set));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(the_lowest_cpu_keeps_house_and_the_others_are_lent_from_the_top),
                cmocka_unit_test(what_is_given_back_can_be_lent_again),
                cmocka_unit_test(a_single_cpu_is_lent_without_fifo),
                cmocka_unit_test(any_other_cpu_is_lent_with_fifo),
                cmocka_unit_test(what_is_not_calibrated_is_lent_only_to_be),
                cmocka_unit_test(several_are_lent_at_once_or_none_is),
                cmocka_unit_test(the_housekeeping_cpu_is_lent_last_and_only_to_what_would_never_have_enough),
                cmocka_unit_test(what_is_given_up_counts_no_longer_and_what_is_not_calibrated_yet_does),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

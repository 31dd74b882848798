/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Descriptors of clients are counted: a user has a share, all have a sum, and what ends gives back all that it had.
 */

#include "front/base/descriptor-account.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include <cmocka.h>

static DescriptorAccount *account;

static int set_up(void **state) {
        return descriptor_account_new((DescriptorLimits){ .all = 100, .user = 40 }, &account);
}

static int tear_down(void **state) {
        account = descriptor_account_free(account);
        return 0;
}

static DescriptorCharge *charge(uid_t uid, size_t n, size_t expected) {
        DescriptorCharge *charge;

        assert_int_equal(descriptor_account_charge(account, uid, n, &charge), 0);
        assert_int_equal(descriptor_charge_count(charge), expected);
        return charge;
}

static void a_user_has_a_share_and_all_have_a_sum(void **state) {
        DescriptorCharge *charges[] = {
                charge(1, 26, 26),
                charge(1, 26, 14),
                charge(1, 26, 0),
                charge(2, 40, 40),
                charge(3, 26, 20),
                charge(4, 1, 0),
        };

        assert_int_equal(descriptor_account_used(account), 100);
        for (size_t i = 0; i < N_ELEMENTS(charges); i++)
                descriptor_charge_unref(charges[i]);
        assert_int_equal(descriptor_account_used(account), 0);
}

static void a_charge_ends_with_the_last_of_its_owners(void **state) {
        DescriptorCharge *first = charge(1, 26, 26), *second = descriptor_charge_ref(first);

        descriptor_charge_shrink(first, 30);
        assert_int_equal(descriptor_account_used(account), 26);
        descriptor_charge_shrink(first, 3);
        assert_int_equal(descriptor_account_used(account), 3);
        descriptor_charge_unref(first);
        assert_int_equal(descriptor_account_used(account), 3);
        descriptor_charge_unref(second);
        assert_int_equal(descriptor_account_used(account), 0);
        assert_null(descriptor_charge_ref(NULL));
        assert_null(descriptor_charge_unref(NULL));
}

/* A count beside the account's own. */
static void whatever_comes_and_goes_the_sums_hold(void **state) {
        DescriptorCharge *charges[50] = {};
        size_t n_user[3] = {}, n_all = 0;
        uid_t uids[50];
        unsigned seed;

        assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
        print_message("seed %u\n", seed);
        srand(seed);
        for (unsigned i = 0; i < 10000; i++) {
                const size_t at = rand() % N_ELEMENTS(charges);

                if (charges[at]) {
                        n_user[uids[at]] -= descriptor_charge_count(charges[at]);
                        n_all -= descriptor_charge_count(charges[at]);
                        charges[at] = descriptor_charge_unref(charges[at]);
                } else {
                        uids[at] = rand() % N_ELEMENTS(n_user);
                        assert_int_equal(descriptor_account_charge(account, uids[at], rand() % 26, &charges[at]), 0);
                        n_user[uids[at]] += descriptor_charge_count(charges[at]);
                        n_all += descriptor_charge_count(charges[at]);
                }
                assert_true(n_user[0] <= 40 && n_user[1] <= 40 && n_user[2] <= 40);
                assert_int_equal(descriptor_account_used(account), n_all);
        }
        for (size_t i = 0; i < N_ELEMENTS(charges); i++)
                descriptor_charge_unref(charges[i]);
        assert_int_equal(descriptor_account_used(account), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(a_user_has_a_share_and_all_have_a_sum, set_up, tear_down),
                cmocka_unit_test_setup_teardown(a_charge_ends_with_the_last_of_its_owners, set_up, tear_down),
                cmocka_unit_test_setup_teardown(whatever_comes_and_goes_the_sums_hold, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Users are admitted to the edge of each limit and refused beyond it. */

#include "front/clients/clients.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void a_user_gets_a_share_and_nobody_nothing(void **state) {
        const ClientsUse most = { .all = 64, .user = 8 };

        assert_int_equal(clients_check_use(1000, (ClientsUse){ 63, 7 }, most), 0);
        assert_int_equal(clients_check_use(1000, (ClientsUse){ 63, 8 }, most), CLIENTS_E_USER_FULL);
        assert_int_equal(clients_check_use(0, (ClientsUse){ 64, 0 }, most), CLIENTS_E_FULL);
        assert_int_equal(clients_check_use((uid_t)-1, (ClientsUse){ 0, 0 }, most), CLIENTS_E_UNKNOWN_USER);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(a_user_gets_a_share_and_nobody_nothing),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

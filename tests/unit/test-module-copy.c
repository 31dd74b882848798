/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Copying a module slice by slice: what is not kept says why, several at once respect each other, and what is given up
 * leaves nothing.
 */

#include "front/history/module-copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kept.h"

#define LONG (3u << 20) /* three slices */

static void what_has_no_room_is_not_kept_and_says_so(void **state) {
        _cleanup_(sealed_module_freep) SealedModule *small = make("a", PART), *large = make("large", QUOTA + 1);
        _cleanup_(module_copy_freep) ModuleCopy *keeping = NULL;

        assert_int_equal(keep(small), 0);
        assert_int_equal(module_copy_new(store, large, &keeping), 0);
        assert_int_equal(module_copy_step(keeping, now_ns), MODULE_STORE_E_FAILED);
        assert_string_equal(module_copy_words(keeping), "the module: there is no room for it within the quota");
        assert_true(is_kept("a", PART)); /* nothing went for it */
}

static void several_at_once_do_not_take_the_same_room(void **state) {
        _cleanup_(sealed_module_freep) SealedModule *first = make("first", LONG), *second = make("second", LONG);
        _cleanup_(module_copy_freep) ModuleCopy *one = NULL, *two = NULL;

        take_quota(LONG + PART);
        assert_int_equal(module_copy_new(store, first, &one), 0);
        assert_int_equal(module_copy_new(store, second, &two), 0);
        assert_int_equal(module_copy_step(one, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(module_copy_step(two, now_ns), MODULE_STORE_E_FAILED);
        assert_int_equal(module_copy_step(one, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(module_copy_step(one, now_ns), 0);
}

static void what_is_half_done_leaves_nothing(void **state) {
        _cleanup_(sealed_module_freep) SealedModule *module = make("long", LONG);
        ModuleCopy *keeping;

        take_quota(LONG);
        assert_int_equal(module_copy_new(store, module, &keeping), 0);
        assert_int_equal(module_copy_step(keeping, now_ns), MODULE_STORE_E_MORE);
        assert_int_equal(count_files(), 1);
        assert_false(is_kept("long", LONG));
        module_copy_free(keeping);
        assert_int_equal(count_files(), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(what_has_no_room_is_not_kept_and_says_so, set_up, tear_down),
                cmocka_unit_test_setup_teardown(several_at_once_do_not_take_the_same_room, set_up, tear_down),
                cmocka_unit_test_setup_teardown(what_is_half_done_leaves_nothing, set_up, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

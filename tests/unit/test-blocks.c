/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The table of blocks against a plain list of what is in there, through random adding and removing.
 */

#include "runner/count/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>

#include <cmocka.h>

#define N 20000u

static Blocks blocks;

static int tear_down(void **state) {
        blocks_clear(&blocks);
        return 0;
}

/* Neighbours of 16 bytes, as malloc() gives them. */
static const void *address(size_t index) {
        return (const void *)(0x5500000000 + 16 * (uintptr_t)index);
}

static void what_is_in_there_is_what_was_added_and_not_removed(void **state) {
        static bool is_in[N];
        unsigned seed;
        size_t bytes, n = 0;

        assert_int_equal(getrandom(&seed, sizeof seed, 0), sizeof seed);
        print_message("seed %u\n", seed);
        srandom(seed);
        for (unsigned step = 0; step < 20 * N; step++) {
                size_t i = (size_t)random() % N;

                if (is_in[i]) {
                        assert_true(blocks_remove(&blocks, address(i), &bytes));
                        assert_int_equal(bytes, i + 1);
                } else {
                        assert_false(blocks_remove(&blocks, address(i), &bytes));
                        assert_true(blocks_add(&blocks, address(i), i + 1));
                }
                n += is_in[i] ? -1 : 1;
                is_in[i] = !is_in[i];
                assert_int_equal(blocks.n, n);
        }
        for (size_t i = 0; i < N; i++)
                assert_int_equal(blocks_remove(&blocks, address(i), &bytes), is_in[i]);
        assert_int_equal(blocks.n, 0);
}

static void an_empty_table_holds_nothing(void **state) {
        size_t bytes;

        assert_false(blocks_remove(&blocks, address(0), &bytes));
        assert_true(blocks_add(&blocks, address(0), 0));
        blocks_clear(&blocks);
        assert_false(blocks_remove(&blocks, address(0), &bytes));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_teardown(what_is_in_there_is_what_was_added_and_not_removed, tear_down),
                cmocka_unit_test_teardown(an_empty_table_holds_nothing, tear_down),
        };

        return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The table of blocks against a plain list of what is in there, through random adding and removing. */

#include "runner/count/blocks.h"

#include "test.h"

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

TEST(what_is_in_there_is_what_was_added_and_not_removed, NULL, tear_down) {
        static bool is_in[N];
        size_t bytes, n = 0;

        seed_random();
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

TEST(an_empty_table_holds_nothing, NULL, tear_down) {
        size_t bytes;

        assert_false(blocks_remove(&blocks, address(0), &bytes));
        assert_true(blocks_add(&blocks, address(0), 0));
        blocks_clear(&blocks);
        assert_false(blocks_remove(&blocks, address(0), &bytes));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "runner/time/cold.h"

#include "test.h"

DEFINE_CLEANUP(Cold *, cold_release)

TEST(a_walk_goes_over_twice_the_cache_within_bounds) {
        assert_int_equal(cold_walk_bytes(1 << 20), 2 << 20);
        assert_int_equal(cold_walk_bytes(0), 64 << 20);
        assert_int_equal(cold_walk_bytes(600ull << 20), 1 << 30);
        assert_int_equal(cold_walk_bytes(UINT64_MAX), 1 << 30);
}

/* The block of code is written by hand: it returns, and leaves the registers that a function must leave. */
TEST(emptying_comes_back_with_everything_as_it_was) {
        register uint64_t kept __asm__("rbx") = 0x1122334455667788;
        _cleanup_(cold_releasep) Cold *cold = NULL;

        assert_int_equal(cold_hold(1 << 16, &cold), 0);
        for (unsigned i = 0; i < 3; i++) {
                __asm__ volatile("" : "+r"(kept));
                cold_empty(cold);
                __asm__ volatile("" : "+r"(kept));
                assert_true(kept == 0x1122334455667788);
        }
}

TEST(all_bodies_of_a_process_share_one_buffer) {
        Cold *first, *second;

        assert_int_equal(cold_hold(1 << 16, &first), 0);
        assert_int_equal(cold_hold(1 << 20, &second), 0);
        assert_ptr_equal(first, second);
        cold_release(first);
        cold_empty(second);
        cold_release(second);
}

TEST(a_leaf_tells_what_the_cache_holds) {
        static const struct {
                ColdCacheLeaf leaf;
                uint64_t kib;
        } rows[] = {
                /* a guest on an EPYC of Zen 5, whose /sys has these sizes */
                { { 0x00000121, 0x02c0003f, 0x0000003f }, 48 },
                { { 0x00000122, 0x01c0003f, 0x0000003f }, 0 }, /* 32 of instructions */
                { { 0x00000143, 0x03c0003f, 0x000003ff }, 1024 },
                { { 0x00004163, 0x03c0003f, 0x00007fff }, 32768 },
                { {}, 0 },
                /* Intel's form: 16 ways, 8192 sets, lines of 64 */
                { { 0x1c03c163, 0x03c0003f, 0x00001fff }, 8192 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                assert_int_equal(cold_cache_leaf_bytes(&rows[i].leaf), rows[i].kib * 1024);
}

TEST(the_largest_here_is_of_a_size_that_there_is) {
        uint64_t bytes = cold_cache_largest();

        if (bytes == 0)
                skip();
        assert_in_range(bytes, 128 << 10, 1ull << 34);
}

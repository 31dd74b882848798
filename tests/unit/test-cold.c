/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "runner/cold.h"
#include "util/cleanup.h"

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

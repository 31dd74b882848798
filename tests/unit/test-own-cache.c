/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "runner/own-cache.h"

#include "test.h"

TEST(a_leaf_tells_what_the_cache_holds) {
        static const struct {
                CacheLeaf leaf;
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
                assert_int_equal(own_cache_leaf_bytes(&rows[i].leaf), rows[i].kib * 1024);
}

TEST(the_largest_here_is_of_a_size_that_there_is) {
        uint64_t bytes = own_cache_largest();

        if (bytes == 0)
                skip();
        assert_in_range(bytes, 128 << 10, 1ull << 34);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Conversion against exact arithmetic, over the whole range of 64 bits. A frequency in whole millihertz makes the exact
 * figure a quotient of two integers of 128 bits, and the double that is passed is the nearest to it.
 */

#include "clock/conversion.h"
#include "test.h"

#define N 200000

typedef unsigned __int128 Wide;

/* Every magnitude up to 2^@bits as often as every other. */
static uint64_t random_number(unsigned bits) {
        uint64_t all = (uint64_t)mrand48() << 32 ^ (uint32_t)mrand48();

        return all >> (64 - bits + lrand48() % bits);
}

/* 1 MHz to 100 GHz, in mHz. */
static uint64_t random_millihertz(void) {
        return exp(log(1e9) + drand48() * log(1e5));
}

TEST(ticks_become_nanoseconds_to_the_precision_of_a_double) {
        long double worst = 0;

        seed_random();
        for (unsigned i = 0; i < N; i++) {
                uint64_t ticks = random_number(64), mhz = random_millihertz();
                Wide scaled = (Wide)ticks * 1000000000000u; /* ns * mHz: below 2^104 */
                long double exact = (long double)(scaled / mhz) + (long double)(scaled % mhz) / mhz;
                long double off = fabsl(ticks_to_ns(ticks, mhz / 1e3) - exact);

                if (exact > 0 && off / exact > worst)
                        worst = off / exact;
        }
        printf("worst %.3Lg of a part\n", worst);
        /* Five roundings, each of half a unit in the last place: ticks, hz, the product, the quotient, and hz / 1000. */
        assert_true(worst <= 5 * 0x1p-53L);
}

TEST(no_tick_is_lost_nor_made_up) {
        assert_true(ticks_to_ns(0, 2.6e9) == 0);
        seed_random();
        for (unsigned i = 0; i < N; i++) {
                double hz = random_millihertz() / 1e3;
                uint64_t ticks = random_number(50);

                assert_true(ticks_to_ns(ticks + 1, hz) > ticks_to_ns(ticks, hz));
                assert_true(ticks_to_ns(-(double)ticks, hz) == -ticks_to_ns(ticks, hz));
        }
}

/* Exact where the ticks fit a double (2^53): the least number whose time is not less. One tick of rounding elsewhere. */
TEST(nanoseconds_become_the_least_ticks_that_last_as_long) {
        seed_random();
        for (unsigned i = 0; i < N; i++) {
                uint64_t mhz = random_millihertz() / 1000 * 1000; /* whole Hz: the double is exact */
                uint64_t ns = random_number(40);
                Wide product = (Wide)ns * (mhz / 1000);
                uint64_t exact = product / 1000000000u + (product % 1000000000u != 0);
                uint64_t found = ns_to_ticks(ns, mhz / 1000);
                uint64_t off = found > exact ? found - exact : exact - found;

                if (product < (Wide)1 << 53)
                        assert_int_equal(found, exact);
                else
                        assert_true(off <= 1 + (exact >> 51));
        }
}

TEST(there_and_back_is_the_same) {
        seed_random();
        for (unsigned i = 0; i < N; i++) {
                double hz = 1e9 + drand48() * 9e9; /* a tick is no more than a nanosecond */
                uint64_t ns = random_number(50);

                assert_true(fabs(ticks_to_ns(ns_to_ticks(ns, hz), hz) - ns) <= 1 + ns * 0x1p-50);
        }
}

TEST(a_clock_of_nanoseconds_is_left_alone) {
        seed_random();
        for (unsigned i = 0; i < N; i++) {
                uint64_t ns = random_number(43); /* two hours and a half; times 1e9 it is rounded, and back again */

                assert_true(fabs(ticks_to_ns(ns, 1e9) - ns) <= ns * 0x1p-52);
        }
}

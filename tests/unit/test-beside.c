/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The stretch of batches that one is judged by together with those beside it.
 */

#include "clock/probe.h"
#include "ops/block.h"
#include "runner/time/beside.h"

#include "test.h"

#define ALONE                                                                                                          \
 { 2090, 2090 }
#define LIGHT                                                                                                          \
 { 2130, 2130 }

static const ClockFacts facts = {
        .branch_cycles = 2090,
        .ports_cycles = 2140,
        .port_chains = 4,
        .quantum_ticks = 1,
        .ruler_turns = 100,
};

TEST(a_stretch_is_of_the_latest_batches_that_there_were) {
        static const struct {
                ProbePair pairs[BESIDE_STRETCH];
                uint32_t n_pairs;
                bool slow_of_2, slow_of_3;
        } rows[] = {
                { { LIGHT, LIGHT, LIGHT }, 3, true, true },
                { { ALONE, ALONE, ALONE }, 3, false, false },
                { { LIGHT, ALONE, ALONE }, 3, false, false },
                { { ALONE, LIGHT, LIGHT }, 3, true, true },
                { { LIGHT, LIGHT, ALONE }, 3, false, true },
                { {}, 0, false, false },
                { { {}, {}, LIGHT }, 1, true, true },
                { { {}, LIGHT, LIGHT }, 2, true, true },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                Beside beside = { .clock = &facts,
                        .n_pairs = rows[i].n_pairs,
                        .before_ticks = 10000,
                        .after_ticks = 10000 };

                memcpy(beside.pairs, rows[i].pairs, sizeof beside.pairs);
                assert_int_equal(beside_stretch_is_slow(&beside, 2), rows[i].slow_of_2);
                assert_int_equal(beside_stretch_is_slow(&beside, BESIDE_STRETCH), rows[i].slow_of_3);
        }
}

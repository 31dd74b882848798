/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/probe.h"

#include "test.h"

#define READINGS 1000u
#define QUANTUM  36.0 /* cycles: 10 ns at 3.6 GHz */

static const ProbeLevels levels = { .branch_cycles = 2090, .ports_cycles = 2140, .quantum_cycles = QUANTUM };

static double readings[READINGS];

/* A reading of @cycles on a clock that advances in steps. */
static double stepped(double cycles) {
        return QUANTUM * (uint64_t)(cycles / QUANTUM + drand48());
}

/* Readings of a probe of @cycles, of which @share were taken beside a neighbour that slows it by half or more. */
static void read_probe(double cycles, double share) {
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = stepped(cycles * (drand48() < share ? 1.4 + 0.6 * drand48() : 1));
}

TEST(the_level_is_that_of_the_core_alone_however_seldom_it_was) {
        seed_random();
        for (unsigned i = 0; i < 100; i++) {
                read_probe(2090, 0.97 * drand48());
                assert_float_equal(probe_level(readings, READINGS), 2090, 0.012 * 2090);
        }
}

TEST(a_few_readings_too_low_do_not_pull_it_down) {
        read_probe(2090, 0.5);
        for (size_t i = 0; i < READINGS / 200; i++)
                readings[i] = 1200;
        assert_float_equal(probe_level(readings, READINGS), 2090, 0.012 * 2090);
}

TEST(of_too_few_readings_there_is_no_level) {
        read_probe(2090, 0);
        assert_true(probe_level(readings, PROBE_READINGS_MIN - 1) == 0);
}

/* Another probe leaves out most of the readings beside a neighbour, but not all. */
TEST(a_level_is_steady_only_where_the_readings_of_the_core_alone_are_alike) {
        read_probe(3494, 0.02);
        assert_float_equal(probe_steady_level(readings, READINGS), 3494, 0.012 * 3494);
        read_probe(3494, 0.2);
        assert_true(probe_steady_level(readings, READINGS) == 0);
        for (size_t i = 0; i < READINGS; i++)
                readings[i] = 3494 * (1 + 0.2 * drand48());
        assert_true(probe_steady_level(readings, READINGS) == 0);
        assert_true(probe_steady_level(readings, PROBE_READINGS_MIN - 1) == 0);
}

TEST(a_step_takes_as_many_cycles_as_twice_as_many_steps_add) {
        assert_true(probe_step_takes(1, 2090, 4090));
        assert_true(probe_step_takes(1, 2140, 4160));  /* with the loop around the additions */
        assert_false(probe_step_takes(1, 3090, 6090)); /* six chains on four units */
        assert_false(probe_step_takes(1, 1090, 2090)); /* two branches a cycle */
        assert_true(probe_step_takes(0.5, 1090, 2090));
        assert_false(probe_step_takes(1, 0, 0));
}

TEST(alone_a_probe_is_not_slow_and_beside_a_neighbour_it_is) {
        static const struct {
                double branch, ports;
                bool slow;
        } rows[] = {
                { 2090, 2140, false }, { 2090 * 1.03, 2140 * 1.02, false }, { 2090 - QUANTUM, 2140 - QUANTUM, false },
                { 2090 * 1.06, 2140, true }, { 2090, 2140 * 1.05, true },
                { 2090 * 1.5, 2140 * 1.01, true }, /* a light neighbour, which the ports let pass */
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
                for (double cycles_per_tick = 0.5; cycles_per_tick < 3; cycles_per_tick *= 1.3) {
                        const ProbeReading reading = { .branch_ticks = rows[i].branch / cycles_per_tick,
                                .ports_ticks = rows[i].ports / cycles_per_tick };

                        assert_int_equal(probe_is_slow(&reading, &levels, cycles_per_tick), rows[i].slow);
                }
}

/* ---- stretches: laid readings of @before and @after cycles beside batches */

#define STRETCH  3u
#define TRIALS   2000u
#define ALONE    2090.0
#define LIGHT    1.022 /* of the level: the branch probe beside a neighbour that slows a loop of branches by 4 % */
#define LEAVES   1.036 /* of it: a body after which the probe alone is slower, as no probe by itself tells */
#define PER_CENT (TRIALS / 100)

/* How many of TRIALS stretches are slow whose probes take so long, on a clock that advances in steps. */
static unsigned count_slow(double before, double after, double quantum) {
        const ProbeLevels of = { .branch_cycles = ALONE, .ports_cycles = 2140, .quantum_cycles = quantum };
        unsigned n = 0;

        for (unsigned i = 0; i < TRIALS; i++) {
                ProbePair pairs[STRETCH];

                for (size_t k = 0; k < STRETCH; k++)
                        pairs[k] = (ProbePair){ .before_cycles = quantum * floor(before / quantum + drand48()),
                                .after_cycles = quantum * floor(after / quantum + drand48()) };
                n += probe_stretch_is_slow(pairs, STRETCH, &of);
        }
        return n;
}

TEST(a_light_neighbour_is_told_by_the_mean_of_a_stretch) {
        seed_random();
        for (double quantum = 1; quantum <= QUANTUM; quantum *= 1.2) {
                const double alone = ALONE * (0.998 + 0.004 * drand48());

                assert_true(count_slow(alone, alone, quantum) <= 3 * PER_CENT);
                assert_true(count_slow(LIGHT * ALONE, LIGHT * ALONE, quantum) >= 75 * PER_CENT);
                assert_true(count_slow(1.05 * ALONE, 1.05 * ALONE, quantum) == TRIALS);
        }
}

/* By itself no reading of such a neighbour is slow, and a mean is told from alone by a step however few there are. */
TEST(a_mean_allows_for_less_of_a_step_the_more_readings_there_are) {
        const ProbePair faint = { .before_cycles = 1.018 * ALONE, .after_cycles = 1.018 * ALONE };
        const ProbePair pairs[STRETCH] = { faint, faint, faint };
        const ProbeReading reading = { .branch_ticks = 1.018 * ALONE, .ports_ticks = 2140 };

        assert_false(probe_is_slow(&reading, &levels, 1));
        assert_true(probe_stretch_is_slow(pairs, STRETCH, &levels));
        assert_true(probe_stretch_is_slow(pairs, 2, &levels));
        assert_false(probe_stretch_is_slow(pairs, 1, &levels));
}

TEST(what_is_slow_only_after_batches_is_the_bodys_doing) {
        assert_true(count_slow(ALONE, LEAVES * ALONE, 1) == 0);
        assert_true(count_slow(ALONE, LEAVES * ALONE, QUANTUM) <= 25 * PER_CENT);
        assert_true(count_slow(LIGHT * ALONE, LEAVES * ALONE, QUANTUM) >= 90 * PER_CENT);
}

/* The probes themselves: that they run, and that twice the steps are more of them. */
TEST(a_probe_of_more_steps_takes_more_ticks) {
        static const uint32_t chains[] = { 4, 6, 8 };
        uint64_t once = UINT64_MAX, many = UINT64_MAX;

        for (unsigned i = 0; i < 100; i++) {
                const uint64_t short_ticks = probe_branches(100), long_ticks = probe_branches(100000);

                once = short_ticks < once ? short_ticks : once;
                many = long_ticks < many ? long_ticks : many;
        }
        assert_true(many > once);
        for (size_t i = 0; i < 3; i++) {
                once = many = UINT64_MAX;
                for (unsigned k = 0; k < 100; k++) {
                        const uint64_t short_ticks = probe_ports(chains[i], 100),
                                       long_ticks = probe_ports(chains[i], 100000);

                        once = short_ticks < once ? short_ticks : once;
                        many = long_ticks < many ? long_ticks : many;
                }
                assert_true(many > once);
        }
}

/* SPDX-License-Identifier: MIT */
#include "clock/probe.h"

#include "clock/cluster.h"
#include "clock/square-root.h"
#include "clock/tick.h"

/* Beyond the level: both were found to part busy from idle best (false alarms 1 to 3 %, 96 to 99 % found). */
#define PROBE_BRANCH_SLOW 1.03
#define PROBE_PORTS_SLOW  1.02

/* ... of a mean of six readings: of quiet samples of a loop of branches 9 to 43 % were over 3 % slow, 4 to 9 % with it; 0.2 % of those alone are lost. */
#define PROBE_STRETCH_SLOW   1.012
#define PROBE_STRETCH_BEFORE 1.006

#define PROBE_UNTIMED_BRANCHES 200u /* after some bodies the loop is not predicted at once */
#define PROBE_UNTIMED_TURNS    2u   /* of the port probe: its code is fetched */

#define PROBE_CLUSTER 1.03 /* width of the readings that had the core alone, which whole steps of a clock spread */
#define PROBE_STEADY_SHARE                                                                                             \
 0.95 /* of the readings that had the core alone by another probe: 1 to 4 % of these had not */

/* A step beyond whole cycles: the loop around the additions takes one issue slot in about a hundred. */
#define PROBE_STEP_MIN 0.97
#define PROBE_STEP_MAX 1.05

#define FOUR(step)    step step step step
#define TWELVE(step)  FOUR(step) FOUR(step) FOUR(step)
#define SIXTEEN(step) FOUR(FOUR(step))

#define ADD_4 "add %0, %0\n\tadd %1, %1\n\tadd %2, %2\n\tadd %3, %3\n\t"
#define ADD_6 ADD_4 "add %4, %4\n\tadd %5, %5\n\t"
#define ADD_8 ADD_6 "add %6, %6\n\tadd %7, %7\n\t"

__attribute__((noinline)) static void branches_run(uint64_t turns) {
        __asm__ volatile(".balign 32\n1:\tdec %0\n\tjnz 1b\n\t" : "+r"(turns) : : "cc");
}

uint64_t probe_branches(uint32_t steps) {
        uint64_t start, stop;

        branches_run(PROBE_UNTIMED_BRANCHES);
        start = tick_start();
        branches_run(steps);
        stop = tick_stop();
        return stop - start;
}

/* Registers of the chains: what is in them does not matter. */
#define PORTS_RUN(name, turn)                                                                                          \
 static void name(uint32_t turns) {                                                                                    \
  uint64_t a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1;                                                     \
                                                                                                                       \
  for (; turns > 0; turns--)                                                                                           \
   __asm__ volatile(turn : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h) : : "cc");           \
 }

/* About a hundred instructions each, so that they evict little of what is measured. */
PORTS_RUN(ports_run_4, SIXTEEN(ADD_4) FOUR(ADD_4) FOUR(ADD_4))
PORTS_RUN(ports_run_6, SIXTEEN(ADD_6))
PORTS_RUN(ports_run_8, TWELVE(ADD_8))

static const struct {
        uint32_t chains;
        uint32_t steps; /* of each chain, in a turn */
        void (*run)(uint32_t turns);
} port_probes[] = {
        { 4, 24, ports_run_4 },
        { 6, 16, ports_run_6 },
        { 8, 12, ports_run_8 },
};

uint64_t probe_ports(uint32_t chains, uint32_t steps) {
        const uint32_t index = chains >= 8 ? 2 : chains >= 6 ? 1 : 0;
        const uint32_t turns = (steps + port_probes[index].steps - 1) / port_probes[index].steps;
        uint64_t start, stop;

        port_probes[index].run(PROBE_UNTIMED_TURNS);
        start = tick_start();
        port_probes[index].run(turns);
        stop = tick_stop();
        return stop - start;
}

bool probe_is_slow(const ProbeReading *reading, const ProbeLevels *levels, double cycles_per_tick) {
        const double half_step = levels->quantum_cycles / 2;

        return reading->branch_ticks * cycles_per_tick > PROBE_BRANCH_SLOW * levels->branch_cycles + half_step ||
               reading->ports_ticks * cycles_per_tick > PROBE_PORTS_SLOW * levels->ports_cycles + half_step;
}

/* Steps of the clock put each reading off by up to half a step, and so a mean of them by less. */
bool probe_stretch_is_slow(const ProbePair *pairs, size_t n, const ProbeLevels *levels) {
        double before = 0, after = 0;

        for (size_t i = 0; i < n; i++) {
                before += pairs[i].before_cycles;
                after += pairs[i].after_cycles;
        }
        return before / n > PROBE_STRETCH_BEFORE * levels->branch_cycles &&
               (before + after) / (2 * n) > PROBE_STRETCH_SLOW * levels->branch_cycles +
                                                            levels->quantum_cycles / 2 / square_root(2 * n);
}

double probe_level(double *readings, size_t n) {
        if (n < PROBE_READINGS_MIN)
                return 0;
        return cluster_mean(cluster_lowest(readings, n, PROBE_CLUSTER, 0));
}

double probe_steady_level(double *readings, size_t n) {
        const double level = probe_level(readings, n);
        size_t n_alike = 0;

        while (n_alike < n && readings[n_alike] <= PROBE_CLUSTER * level)
                n_alike++;
        return n_alike >= PROBE_STEADY_SHARE * n ? level : 0;
}

bool probe_step_takes(double cycles, double once_cycles, double twice_cycles) {
        const double step = (twice_cycles - once_cycles) / PROBE_STEPS;

        return step >= PROBE_STEP_MIN * cycles && step <= PROBE_STEP_MAX * cycles;
}

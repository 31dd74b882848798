/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Probes: detect without counters if another hardware thread uses this core right now.
 *
 * Two short pieces of code that take a whole number of cycles when the core is theirs alone, and longer when its other thread is busy:
 * a loop of one taken branch a cycle, bound by fetch, which the threads of a core take in turns; and as many chains of additions as the
 * core has units for, bound by issue. If no number of chains takes a cycle a step (five units, as of Golden Cove), it is the most chains
 * that always take the same time while the branches say that the core is alone. The ruler (clock/ruler.h), one chain of additions, hardly notices a neighbour that slows ordinary
 * code by half. Beside the ruler their time is one in cycles, so that a change of the core's frequency cancels.
 *
 * Prior art senses such neighbours with small probes in order to predict or to attack (SMTcheck, PortSmash); here the label decides which
 * samples count, and never looks at a sample's own time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_STEPS      2000u /* turns of a branch probe, and additions of each chain of a port probe */
#define PROBE_CHAINS_MIN 4u

#define PROBE_FIXED_CYCLES 100u /* about what the clock pair and the end of the loop add */
#define PROBE_READINGS_MIN 20u  /* for a level */

/* Runs @steps turns of the loop, after some that are not timed. Returns the ticks from before to after, clock pair included. */
uint64_t probe_branches(uint32_t steps);

/* The same with at least @steps additions in each of @chains chains: 4, 6 or 8. */
uint64_t probe_ports(uint32_t chains, uint32_t steps);

/* Both, before or after a batch. 0: not run. */
typedef struct ProbeReading {
        uint64_t branch_ticks;
        uint64_t ports_ticks;
} ProbeReading;

/* The cycles that each takes when it has the core alone, and the step of the clock in cycles. */
typedef struct ProbeLevels {
        double branch_cycles;
        double ports_cycles;
        double quantum_cycles;
} ProbeLevels;

/* Tells whether @reading, at @cycles_per_tick, took longer than alone. Pure. */
bool probe_is_slow(const ProbeReading *reading, const ProbeLevels *levels, double cycles_per_tick);

/* The branch probes before and after a batch, in cycles. */
typedef struct ProbePair {
        double before_cycles;
        double after_cycles;
} ProbePair;

/*
 * Tells whether the branch probes beside @n batches (1 or more) in a row took longer on average than alone. A light neighbour slows a loop of
 * branches by 4 %, but single readings too little to be told from a step of the clock. False where those before the batches were as
 * quick as alone, since what is slow only after a batch is the body's doing. Pure.
 */
bool probe_stretch_is_slow(const ProbePair *pairs, size_t n, const ProbeLevels *levels);

/*
 * The level of those of @n readings (which are sorted) that had the core alone: the mean of the cluster at the lower end, which is there
 * however seldom the core was alone; a median would fall on a step of the clock. 0 where @n is under PROBE_READINGS_MIN. Pure.
 */
double probe_level(double *readings, size_t n);

/*
 * The level of @n readings (which are sorted) that had the core alone by another probe; 0 where these are not alike, or too few. Pure.
 */
double probe_steady_level(double *readings, size_t n);

/* Tells whether a step takes @cycles, by the levels of probes of PROBE_STEPS and twice as many. Pure. */
bool probe_step_takes(double cycles, double once_cycles, double twice_cycles);

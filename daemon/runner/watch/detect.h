/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Detectors: whether the kernel did something to this thread between two points, told by what the kernel leaves behind
 * and never by how long it took. Arming happens before the clock starts; reading costs a quarter of a nanosecond each.
 *
 * The canary is a null selector with a privilege level in %es: IRET clears it when it returns to user code, so every
 * interrupt and page fault does, and a system call (SYSRET) does not. The sequence is a restartable one that is never
 * entered: the kernel clears its pointer on preemption, migration and signals (linux/rseq.h).
 */

#include <stdbool.h>
#include <stdint.h>

#include "clock/probe.h"

typedef struct BodyBatch BodyBatch;
typedef struct ClockFacts ClockFacts;
typedef struct Sample Sample;

struct bench_watch;

/* Arms those of @detectors (DETECTOR_*). */
void detect_arm(uint32_t detectors);

/* Tells of events since then: MARK_INTERRUPTED, MARK_PREEMPTED. */
uint32_t detect_read(uint32_t detectors);

/*
 * Has a module that pauses (bench.h) stop this thread's @detectors meanwhile, with none seen so far; and tells what it saw
 * up to its pauses, as detect_read() does.
 */
void detect_watch(uint32_t detectors, struct bench_watch *ret_watch);
uint32_t detect_watched(const struct bench_watch *watch);

/* The flags that @detectors set. */
uint32_t detect_flags(uint32_t detectors);

/* Tries each on this machine: which stay armed when nothing happens, and fire when something does. */
uint32_t detect_test(void);

/*
 * The readings beside a batch, on the thread that runs it, and what they tell of the batch: the rulers outside, and
 * between them and the clock's own readings the probes (clock/probe.h), which the body runs (runner/time/body.h), since
 * nothing but iterations of its own may come between them and the batch. The ruler after a batch is the one before the next, if nothing came
 * between them.
 */

#define BESIDE_STRETCH 3u /* a batch with the one before and the one after it */

typedef struct Beside {
        const ClockFacts *clock;
        ProbePair pairs[BESIDE_STRETCH]; /* of the latest batches, the last at the end */
        uint32_t n_pairs;
        uint64_t before_ticks; /* of the rulers; 0: none was run */
        uint64_t after_ticks;
        uint32_t after_flags; /* what disturbed the ruler itself */
} Beside;

/* The rulers before and after @batch. @adjacent: nothing came between the last batch and this one. */
void beside_begin(Beside *beside, bool adjacent);
void beside_end(Beside *beside, const BodyBatch *batch);

/* Tells whether @reading, at @cycles_per_tick, took longer than what @clock says it takes alone. */
bool beside_is_slow(const ClockFacts *clock, const ProbeReading *reading, double cycles_per_tick);

/* Which of the probes of a batch were slow. */
typedef struct BesideProbes {
        bool before;
        bool after;
} BesideProbes;

/* False for both where no probes or no rulers were run. */
BesideProbes beside_probes(const Beside *beside, const BodyBatch *batch);

/* Tells whether the probes beside the latest @n batches, or as many as there were, took longer on average than alone. */
bool beside_stretch_is_slow(const Beside *beside, uint32_t n);

/* Adds to @sample of @batch what was read beside it; what the probes say only where they are @probed. */
void beside_fill(const Beside *beside, const BodyBatch *batch, bool probed, Sample *sample);

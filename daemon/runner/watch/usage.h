/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Usage: what the kernel charged to this thread during a batch, and what it counted of the core. Read before the clock
 * starts and after it has stopped, so that reading is not timed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/tick.h"
#include "ops/runner-plan.h"

/*
 * The core's own counters (perf_event_open(2)), in user code only: opened as one group before this program was executed
 * (launch/birth/birth.h) and read as one, so that all cover the same stretch. If a core has too few counters the kernel
 * multiplexes them: a group that did not count all the time is dropped, since its values would be extrapolated.
 *
 * Calibration finds out once which counters the machine has, and notes them in ClockFacts; absent ones are left out of
 * the group. Parsing readings and taking differences are pure.
 */

typedef struct UsagePmu {
        uint32_t counters; /* COUNTER_* that counts has; 0: none */
        uint32_t padding;
        uint64_t enabled_ns; /* of the group */
        uint64_t running_ns; /* ... while it had counters of the core */
        uint64_t counts[RUNNER_COUNTERS_MAX];
} UsagePmu;

/*
 * Finds which counters this process was born with: COUNTER_*; none without the counter of cycles, which leads the
 * group.
 */
uint32_t usage_pmu_find(void);

/* Reads the group of @counters; none if it cannot be read or is another group. */
void usage_pmu_read(uint32_t counters, UsagePmu *ret_reading);

/* Parses @n_bytes of the kernel's format for a group of @counters; none if they do not match. */
void usage_pmu_parse(uint32_t counters, const uint64_t *words, size_t n_bytes, UsagePmu *ret_reading);

/* The counts from @before to @after; none unless the group counted all the time. Counts may wrap once. */
void usage_pmu_difference(const UsagePmu *before, const UsagePmu *after, UsagePmu *ret_difference);

typedef struct Usage {
        uint64_t faults;      /* of pages, with and without a disk */
        uint64_t blocked;     /* times that it gave up the CPU to sleep or wait */
        uint64_t preempted;   /* times that the CPU was taken from it */
        bool waited;          /* blocked, in timed code or not */
        bool switched;        /* waited, or was preempted, in timed code or not */
        int64_t cpu_ns;       /* charged to it: without stolen time, if the hypervisor reports that */
        int64_t output_bytes; /* on standard output and error, including bytes that stdio still buffers */
        UsagePmu pmu;
} Usage;

/*
 * Notes the thread's present values in @usage. Call it before the probes and the untimed iterations, since system calls change the
 * caches.
 */
void usage_begin(Usage *usage);

/* Does the same for @counters (COUNTER_*): call it last before the clock starts, and first after it has stopped. */
void usage_begin_counting(Usage *usage, uint32_t counters);
void usage_end_counting(Usage *usage, uint32_t counters);

/* Replaces the values that usage_begin() noted by what has happened since. Call it after the probes. */
void usage_end(Usage *usage);

/*
 * Removes from @usage events that happened only in pauses or before the clock started. The kernel does not count them separately;
 * but an event in timed code would have triggered one of @detectors (DETECTOR_*), so without its flag in @flags there was none.
 */
void usage_forgive_untimed(Usage *usage, uint32_t detectors, uint32_t flags);

/*
 * True if a batch of @batch_ns lasted longer than the CPU time charged to the thread, although it neither waited nor
 * was preempted.
 */
bool usage_is_stolen(const Usage *usage, double batch_ns);

/* The flags of a sample for the @usage of its batch: MARK_*. */
uint32_t usage_flags(const Usage *usage);

/*
 * The clock of --clock=cpu: the CPU time that the kernel charges, user and system together. It stands still while the code sleeps,
 * waits or has lost the CPU to others.
 *
 * It is read by a system call right before the counter starts and right after it has stopped, so nothing of it is in the ticks; but
 * most of a reading is in the next one's time. That cost is measured in each process, before its first batch, and taken off.
 */

/*
 * For one measured thread: the CPU time of the whole process, in ns, so that work of the body's own threads counts too.
 */
uint64_t usage_clock_process(void);

/* For several measured threads: the CPU time of the calling thread, in ns. */
uint64_t usage_clock_thread(void);

typedef struct UsageClockCost {
        double batch_ns; /* of an empty batch: two readings with readings of @stopwatch in between */
        double pause_ns; /* of a pause and its resumption, beyond the time that they leave out */
        double step_ns;  /* the step of the clock, as far as observed; 1 or more */
} UsageClockCost;

/* Measures the cost of @clock around @stopwatch (NULL: the time-stamp counter), which takes some 50 µs. */
UsageClockCost usage_clock_cost(TickStopwatch *clock, TickStopwatch *stopwatch);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Usage: what the kernel charged this thread with over a batch, and what it counted of the core. Read before the clock
 * starts and after it has stopped, so that nothing of it is timed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/tick.h"
#include "ops/runner-plan.h"

/*
 * The core's own counters (perf_event_open(2)), in user code only: opened as one group before this program was executed
 * (launch/birth/birth.h), read here as one, so that all of them are over the same stretch. The kernel shares a core's counters
 * out in turns where they do not suffice: a group that did not count all the time gives nothing, for what it would give
 * is an extrapolation.
 *
 * Which counters the machine has is asked once, in a calibration, and stands in ClockFacts; absent ones are left out of the
 * group. Taking readings apart and differences are pure.
 */

typedef struct UsagePmu {
        uint32_t counters; /* COUNTER_*, those in counts; 0: none was had */
        uint32_t padding;
        uint64_t enabled_ns; /* of the group */
        uint64_t running_ns; /* ... with counters of the core to itself */
        uint64_t counts[RUNNER_COUNTERS_MAX];
} UsagePmu;

/* Asks which counters this process was born with: COUNTER_*, none without that of cycles, which leads the group. */
uint32_t usage_pmu_find(void);

/* Reads the group of @counters, none if it cannot be read or is another. */
void usage_pmu_read(uint32_t counters, UsagePmu *ret_reading);

/* Takes apart @n_bytes of what the kernel gives for a group of @counters; none if it is not that. */
void usage_pmu_parse(uint32_t counters, const uint64_t *words, size_t n_bytes, UsagePmu *ret_reading);

/* The counts from @before to @after; none unless the group counted all the time. Counts may wrap once. */
void usage_pmu_difference(const UsagePmu *before, const UsagePmu *after, UsagePmu *ret_difference);

typedef struct Usage {
        uint64_t faults;    /* of pages, with and without a disk */
        uint64_t blocked;   /* times that it gave the CPU up: it slept or waited */
        uint64_t preempted; /* times that the CPU was taken from it */
        bool waited;        /* blocked, or so where it was not timed */
        bool switched;      /* waited, or preempted so */
        int64_t cpu_ns; /* that it was charged with: without what a hypervisor took, where the kernel is told of that */
        int64_t output_bytes; /* on standard output and error, also those that stdio still holds */
        UsagePmu pmu;
} Usage;

/*
 * Notes in @usage where the thread is now. Before the probes and what runs untimed, since system calls leave the caches another's.
 */
void usage_begin(Usage *usage);

/* ... and of the counters, @counters (COUNTER_*): the last thing before the clock starts, and the first after it has stopped. */
void usage_begin_counting(Usage *usage, uint32_t counters);
void usage_end_counting(Usage *usage, uint32_t counters);

/* Makes of what usage_begin() noted what has happened since. After the probes. */
void usage_end(Usage *usage);

/*
 * Takes out of @usage what happened in pauses or before the clock started alone. The kernel does not count them apart; but of
 * what would have fired one of @detectors (DETECTOR_*), where the batch was timed, nothing did where its flags are not among @flags.
 */
void usage_forgive_untimed(Usage *usage, uint32_t detectors, uint32_t flags);

/* Tells whether a batch that lasted @batch_ns was longer than what the thread was charged with, though it neither waited nor was preempted. */
bool usage_is_stolen(const Usage *usage, double batch_ns);

/* The flags of a sample by the @usage of its batch: MARK_*. */
uint32_t usage_flags(const Usage *usage);

/*
 * The clock of --clock=cpu: the time for which the kernel charges a CPU, user and system together. While the code sleeps, waits or
 * has lost the CPU to others it stands.
 *
 * It is read by a system call right before the counter starts and right after it has stopped, so nothing of it is in the ticks; but
 * most of a reading is in the next one's time. That cost is measured in each process, before its first batch, and taken off.
 */

/* One thread runs the body: of the whole process, so that what it hands to threads of its own counts too. In ns. */
uint64_t usage_clock_process(void);

/* Several do: of each by itself. In ns. */
uint64_t usage_clock_thread(void);

typedef struct UsageClockCost {
        double batch_ns; /* of an empty batch: two readings with those of @stopwatch between */
        double pause_ns; /* of a pause with its resumption, beyond what it leaves out */
        double step_ns;  /* by which it advances, as far as that was seen; 1 or more */
} UsageClockCost;

/* Measures the cost of @clock around @stopwatch (NULL: the time-stamp counter), which takes some 50 µs. */
UsageClockCost usage_clock_cost(TickStopwatch *clock, TickStopwatch *stopwatch);

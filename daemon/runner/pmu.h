/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The core's own counters (perf_event_open(2)), in user code only: opened as one group before this program was executed
 * (launch/birth.h), read here as one, so that all of them are over the same stretch. The kernel shares a core's counters
 * out in turns where they do not suffice: a group that did not count all the time gives nothing, for what it would give
 * is an extrapolation.
 *
 * Which counters the machine has is asked once, in a calibration, and stands in ClockFacts; absent ones are left out of the
 * group. Taking readings apart and differences are pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "ops/runner-plan.h"

typedef struct PmuReading {
        uint32_t counters; /* COUNTER_*, those in counts; 0: none was had */
        uint32_t padding;
        uint64_t enabled_ns; /* of the group */
        uint64_t running_ns; /* ... with counters of the core to itself */
        uint64_t counts[RUNNER_COUNTERS_MAX];
} PmuReading;

/* Asks which counters this process was born with: COUNTER_*, none without that of cycles, which leads the group. */
uint32_t pmu_find(void);

/* Reads the group of @counters, none if it cannot be read or is another. */
void pmu_read(uint32_t counters, PmuReading *ret_reading);

/* Takes apart @n_bytes of what the kernel gives for a group of @counters; none if it is not that. */
void pmu_parse(uint32_t counters, const uint64_t *words, size_t n_bytes, PmuReading *ret_reading);

/* The counts from @before to @after; none unless the group counted all the time. Counts may wrap once. */
void pmu_difference(const PmuReading *before, const PmuReading *after, PmuReading *ret_difference);

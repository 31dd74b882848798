/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What is read right before and right after a batch, on the thread that runs it, when the batch is a sample: the rulers.
 * The ruler after a batch is the one before the next, where nothing came between them. What has to be read within the
 * clock's two readings is the body's to read (runner/body.h).
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct ClockFacts ClockFacts;
typedef struct Sample Sample;

typedef struct Probe {
        const ClockFacts *clock;
        uint64_t before_ticks; /* of the rulers; 0: none was run */
        uint64_t after_ticks;
        uint32_t after_flags; /* what disturbed the ruler itself */
} Probe;

/* @adjacent: nothing came between the last batch and this one. */
void probe_before(Probe *probe, bool adjacent);
void probe_after(Probe *probe);

/* Adds to @sample what was read beside it. */
void probe_fill(const Probe *probe, Sample *sample);

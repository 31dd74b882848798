/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The control run: a program's own doings, learnt from its last batches before the samples, and never counted as a
 * disturbance of them (measurement.md 3). Pure.
 *
 * A page fault clears the canary (runner/detect.h). To block clears the sequence, and so does what the kernel puts off
 * until a thread returns from it: to deliver a signal, to close a file that was mapped last. If most of those batches
 * faulted, the canary would mark the program's own work, and is switched off. If the sequence was clear after most of
 * them though the CPU was not taken, it is. The decision stands before the first sample.
 *
 * Code can leave the core slower than it found it, for some microseconds: wide vector units, cold caches. The probes
 * after each batch would then take the body for a neighbour, though those before it find the core alone. If both are so
 * of most batches, they say nothing.
 */

#include <stdbool.h>
#include <stdint.h>

#define CONTROL_BATCHES 8u

typedef struct BesideProbes BesideProbes;
typedef struct Usage Usage;

typedef struct Control {
        uint8_t own[CONTROL_BATCHES]; /* of the latest batches: DETECTOR_* that their own work would fire */
        uint32_t n_noted;
        uint32_t n_probed;
        uint32_t n_found_alone;       /* batches whose probes before were not slow */
        uint32_t n_left_slow;         /* ... of which those after were */
        bool waited[CONTROL_BATCHES]; /* of the latest batches: it gave the CPU up */
} Control;

/* Notes a batch that is no sample, of @usage and MARK_* @flags, as the detectors had them. */
void control_note(Control *control, const Usage *usage, uint32_t flags);

void control_note_probes(Control *control, const BesideProbes *slow);

/* Tells whether it is the body that the probes after it see. */
bool control_blames_body(const Control *control);

/*
 * Tells whether the body gave the CPU up in more than half of the latest batches. Such a body is timed without SCHED_FIFO: at it the kernel
 * lets no timer be late, and wakes a thread before all others, so that a sleep and a hand-over take another time than in a program.
 */
bool control_waits(const Control *control);

/* The detectors that more than half of the latest batches would fire themselves: DETECTOR_*. */
uint32_t control_switch_off(const Control *control);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The control run: what a program does by itself, learnt from its last batches before the samples, and never counted as a
 * disturbance of them (measurement.md 3). Pure.
 *
 * A page fault clears the canary, and to block clears the sequence (runner/detect.h). Where most of those batches faulted,
 * the canary would mark the program's own work, and is switched off; where most blocked, the sequence is. The decision
 * stands before the first sample and looks at nothing but counts.
 */

#include <stdint.h>

#define CONTROL_BATCHES 8u

typedef struct Usage Usage;

typedef struct Control {
        uint8_t own[CONTROL_BATCHES]; /* of the latest batches: DETECTOR_* that their own work would fire */
        uint32_t n_noted;
} Control;

/* Notes a batch that is no sample. */
void control_note(Control *control, const Usage *usage);

/* The detectors that more than half of the latest batches would fire themselves: DETECTOR_*. */
uint32_t control_switch_off(const Control *control);

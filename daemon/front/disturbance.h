/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the detectors marked, counted. The environment is unfit by time: where what preempted, migrated or took the core
 * away cost over DISTURBANCE_UNFIT of the sampling time. Interrupts and faults never make it unfit: at 250 a second a
 * quarter of all millisecond batches hold one. (measurement.md 3)
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/arena.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

#define DISTURBANCE_UNFIT 0.02

typedef struct Disturbance {
        uint64_t n_samples;
        uint64_t n_disturbed;
        uint64_t n_interrupted, n_preempted, n_migrated, n_faulted, n_frequency, n_unattributed;
        double sampled_ns;
        double taken_ns;    /* beyond what an undisturbed batch of the same process takes */
        uint32_t detectors; /* that worked in every process */
        bool begun;
} Disturbance;

/* Whether nothing marked @sample that leaves it out of the undisturbed ones. A program's own faults are its work. */
bool disturbance_is_none(const Sample *sample);

/* Counts a sample of @ns, where an ordinary one of its process takes @usual_ns. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns);

/* Notes which detectors the process had. */
void disturbance_note_detectors(Disturbance *disturbance, uint32_t detectors);

bool disturbance_is_unfit(const Disturbance *disturbance);

/* Builds the message; absent where no detector worked. Returns 0 or a negative errno. */
int disturbance_report(const Disturbance *disturbance, Arena *arena, Benchd__Disturbed **ret_message);

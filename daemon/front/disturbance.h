/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the detectors marked, counted, and whether the environment was fit to measure in: a rule that is fixed before the
 * run (measurement.md 3). Pure.
 *
 * It is unfit by time, where what preempted, migrated or took the core away cost over DISTURBANCE_UNFIT of the sampling
 * time; or where the samples that are left when those marked are taken out tell another time than all of them do, further
 * apart than the interval of the headline is wide. Interrupts and faults are of no account in either: at 250 a second
 * a quarter of all millisecond batches hold one.
 */

#include <stdbool.h>
#include <stddef.h>
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
        double taken_ns;       /* beyond what an undisturbed batch of the same process takes */
        double apart;          /* sum of the logs of all samples' medians over those left */
        size_t n_processes;    /* in that sum */
        uint32_t detectors;    /* that worked in every process */
        uint32_t switched_off; /* in at least one process, since the program's own work would fire them */
        bool begun;
} Disturbance;

/* Why the environment is unfit. */
typedef enum DisturbanceVerdict {
        DISTURBANCE_FIT,
        DISTURBANCE_TIME,  /* too much of it was taken */
        DISTURBANCE_APART, /* the two estimates differ */
} DisturbanceVerdict;

/* Whether nothing marked @sample that leaves it out of the undisturbed ones. A program's own faults are its work. */
bool disturbance_is_none(const Sample *sample);

/* Counts a sample of @ns, where an ordinary one of its process takes @usual_ns. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns);

/*
 * Counts the samples of a process, whose headline is @median_ns an operation; @ret_share of them was disturbed, NaN where
 * no detector works. Returns 0 or a negative errno.
 */
int disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns, double *ret_share);

/* @interval is ln(high / low) of the headline; NaN where it has none, and the estimates are then not held against it. */
DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, double interval);

/* Builds the message, absent where no detector worked, and says why it is unfit. Returns 0 or a negative errno. */
int disturbance_report(const Disturbance *disturbance, double interval, Arena *arena, Benchd__Disturbed **ret_message,
                TextList *warnings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Disturbance: the marks of the detectors and probes, counted, and a verdict on the environment by a rule that is fixed before the
 * run (measurement.md 3). Pure.
 *
 * It is unfit by time if preemption, migration or theft of the core cost over DISTURBANCE_UNFIT of the sampling time; or by company
 * if another hardware thread left under DISTURBANCE_QUIET_MIN of the samples quiet, or too few processes a median
 * (front/samples/quantity.h). Interrupts and faults do not count, and neither does the width of the interval: more noise makes that
 * wider. Batches that are quiet too seldom for another reason than company are judged by time alone: long ones are preempted
 * nearly always, and lose little by it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "front/samples/sample.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

#define DISTURBANCE_UNFIT     0.02
#define DISTURBANCE_QUIET_MIN 0.1

typedef struct Disturbance {
        uint64_t n_samples;
        uint64_t n_disturbed;
        uint64_t n_quiet;
        uint64_t n_shared;
        uint64_t n_company; /* shared, or beside one that was */
        uint64_t n_interrupted, n_preempted, n_migrated, n_faulted, n_frequency, n_unattributed, n_stolen;
        double sampled_ns;
        double stolen_ns;      /* of taken_ns, that by a hypervisor */
        double taken_ns;       /* beyond what an undisturbed batch of the same process takes */
        uint32_t detectors;    /* that worked in every process */
        uint32_t switched_off; /* in at least one process, since the program's own work would fire them */
        SampleProbes probes;   /* OFF: in at least one process; ON: in all of them */
        bool begun;
} Disturbance;

/* Shares of the samples of a process. */
typedef struct DisturbanceShares {
        double disturbed; /* NaN: neither detector nor probe works */
        double shared;    /* NaN: no probe works */
        double quiet;     /* NaN: as disturbed */
} DisturbanceShares;

/* The fitness of the environment, by reason. */
typedef enum DisturbanceVerdict {
        DISTURBANCE_FIT,
        DISTURBANCE_TIME, /* too much of it was taken */
        DISTURBANCE_SELDOM, /* the core was shared nearly all the time: the headline is of the few samples that had it alone */
        DISTURBANCE_SHARED, /* ... so that the headline is of the time while shared, too */
} DisturbanceVerdict;

/* Counts a sample of @ns, where an ordinary one of its process takes @usual_ns. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns);

/* Counts the samples of a process, whose median is @median_ns an operation. */
DisturbanceShares disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns);

/* @alone: the headline is of quiet samples (front/samples/quantity.h). */
DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, bool alone);

/* Builds the message, absent if nothing could have marked a sample, and says why it is unfit. Returns 0 or a negative errno. */
int disturbance_report(const Disturbance *disturbance, bool alone, Arena *arena, Benchd__Disturbed **ret_message,
                WarningList *warnings);

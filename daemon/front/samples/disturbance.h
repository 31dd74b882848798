/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Disturbance: counts of the marks by detectors and probes, and a verdict on the environment by a rule fixed before the run
 * (benchd-methods(7)). Pure.
 *
 * An environment is unfit by time if preemption, migration or theft of the core cost more than DISTURBANCE_UNFIT of the sampling time. It
 * is unfit by company if another hardware thread left no time alone, or a time of too few processes, or none at one of the places in the
 * cache line, or a time that hidden visits may have moved by more than DISTURBANCE_MARGIN. The share of quiet samples decides nothing: few
 * are as good as many. Interrupts and faults do not count; nor does the width of the interval, which already grows with noise. A core
 * without probes gives no verdict.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "front/samples/quantity.h"
#include "front/samples/sample.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

#define DISTURBANCE_UNFIT         0.02
#define DISTURBANCE_PROCESSES_MIN 5u    /* with a quiet median, unless fewer were planned */
#define DISTURBANCE_MARGIN        0.005 /* by which hidden visits may move the headline; a comparison's margin */
#define DISTURBANCE_HIDDEN_MAX                                                                                         \
 0.5 /* of the quiet samples: if more may be contaminated, no quantile bounds their effect */

typedef struct Disturbance {
        uint64_t n_samples;
        uint64_t n_disturbed;
        uint64_t n_quiet;
        uint64_t n_shared;
        uint64_t n_company;         /* shared, or beside a shared one */
        uint64_t n_marked[MARKS_N]; /* indexed by the mark's bit */
        double n_hidden;            /* quiet ones that may have had a neighbour (front/samples/contamination.h) */
        double sampled_ns;
        double stolen_ns;         /* the part of taken_ns taken by a hypervisor */
        double taken_ns;          /* excess over an undisturbed batch of the same process */
        uint32_t detectors;       /* working in every process */
        uint32_t switched_off;    /* in at least one process, since the program's own work would trigger them */
        SampleProbes probes;      /* OFF: in at least one process; ON: in all of them */
        uint64_t n_watched;       /* samples of processes whose probes worked */
        uint64_t n_watched_quiet; /* quiet ones among them */
        bool begun;
        bool blind; /* the core of at least one process has no probes */
} Disturbance;

/* Shares of the samples of a process. */
typedef struct DisturbanceShares {
        double disturbed; /* NaN: neither detectors nor probes work */
        double shared;    /* NaN: no probe works */
        double quiet;     /* NaN: no probe works */
} DisturbanceShares;

/* The facts on the headline that the verdict depends on. */
typedef struct DisturbanceFacts {
        QuantityMeasurand measurand;
        size_t n_quiet;          /* processes with a quiet median */
        size_t n_wanted;         /* processes that should have one */
        size_t n_places_missing; /* places without a quiet median, though processes ran there */
        bool own_threads;        /* the body's own threads ran */
        double contaminated;     /* how far, as a logarithm, hidden visits may have moved the headline */
} DisturbanceFacts;

/* The fitness of the environment, by reason. */
typedef enum DisturbanceVerdict {
        DISTURBANCE_FIT,
        DISTURBANCE_UNTOLD, /* unknown: no probe works */
        DISTURBANCE_TIME,   /* too much time was taken */
        DISTURBANCE_SHARED, /* the headline is the time while shared */
        DISTURBANCE_FEW,    /* too few processes have a quiet median */
        DISTURBANCE_PLACE,  /* no process at one of the places has a quiet median */
        DISTURBANCE_HIDDEN, /* hidden visits may have moved the headline */
} DisturbanceVerdict;

/* True if no probe watched the core in any process, or none can in one of them: how many samples had it alone is not known. */
bool disturbance_is_unwatched(const Disturbance *disturbance);

/* Counts a sample of @ns; an ordinary sample of its process takes @usual_ns. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns);

/*
 * Counts the samples of a process with a median of @median_ns per operation; the share @contamination of the quiet ones may not have been
 * alone.
 */
DisturbanceShares disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns, double contamination);

DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, const DisturbanceFacts *facts);

/*
 * Builds the message, absent if nothing could have marked a sample, and warns why the environment is unfit, or if it was unwatched. Returns 0
 * or a negative errno.
 */
int disturbance_report(const Disturbance *disturbance, const DisturbanceFacts *facts, Arena *arena,
                Benchd__Disturbed **ret_message, WarningList *warnings);

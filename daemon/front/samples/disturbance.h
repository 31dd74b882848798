/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Disturbance: the marks of the detectors and probes, counted, and a verdict on the environment by a rule that is fixed before the
 * run (benchd-methods(7)). Pure.
 *
 * It is unfit by time if preemption, migration or theft of the core cost over DISTURBANCE_UNFIT of the sampling time; or by company
 * if another hardware thread left no time alone, one of too few processes, none at one of the places in the cache line, or one that
 * hidden visits may have moved by over DISTURBANCE_MARGIN. The share of quiet samples decides nothing: few of them are as good as many.
 * Interrupts and faults do not count, and neither does the width of the interval: more noise makes that wider. A core without probes
 * cannot tell.
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
#define DISTURBANCE_PROCESSES_MIN 5u    /* that give a quiet median, unless fewer were planned */
#define DISTURBANCE_MARGIN        0.005 /* that a hidden visit may move the headline by; a comparison's margin */
#define DISTURBANCE_HIDDEN_MAX                                                                                         \
 0.5 /* of the quiet samples: of more that may be contaminated no quantile tells how far */

typedef struct Disturbance {
        uint64_t n_samples;
        uint64_t n_disturbed;
        uint64_t n_quiet;
        uint64_t n_shared;
        uint64_t n_company;         /* shared, or beside one that was */
        uint64_t n_marked[MARKS_N]; /* by the bit of the mark */
        double n_hidden; /* of the quiet ones, so many may have had a neighbour (front/samples/contamination.h) */
        double sampled_ns;
        double stolen_ns;      /* of taken_ns, that by a hypervisor */
        double taken_ns;       /* beyond what an undisturbed batch of the same process takes */
        uint32_t detectors;    /* that worked in every process */
        uint32_t switched_off; /* in at least one process, since the program's own work would fire them */
        SampleProbes probes;   /* OFF: in at least one process; ON: in all of them */
        bool begun;
        bool blind; /* the core of a process has no probes */
} Disturbance;

/* Shares of the samples of a process. */
typedef struct DisturbanceShares {
        double disturbed; /* NaN: neither detector nor probe works */
        double shared;    /* NaN: no probe works */
        double quiet;     /* NaN: as disturbed, or the core has no probes */
} DisturbanceShares;

/* The headline as far as the verdict hangs on it. */
typedef struct DisturbanceFacts {
        QuantityMeasurand measurand;
        size_t n_quiet;          /* processes that gave a quiet median */
        size_t n_wanted;         /* processes that were to give one */
        size_t n_places_missing; /* at which none did, though processes ran there */
        bool own_threads;        /* it has threads of its own that ran */
        double contaminated;     /* how far, as a logarithm, hidden visits may have moved it */
} DisturbanceFacts;

/* The fitness of the environment, by reason. */
typedef enum DisturbanceVerdict {
        DISTURBANCE_FIT,
        DISTURBANCE_UNTOLD, /* no probe could tell */
        DISTURBANCE_TIME,   /* too much of it was taken */
        DISTURBANCE_SHARED, /* the headline is the time while shared */
        DISTURBANCE_FEW,    /* too few processes gave a quiet median */
        DISTURBANCE_PLACE,  /* ... none at one of the places */
        DISTURBANCE_HIDDEN, /* hidden visits may have moved it */
} DisturbanceVerdict;

/* Counts a sample of @ns, where an ordinary one of its process takes @usual_ns. */
void disturbance_add(Disturbance *disturbance, const Sample *sample, double ns, double usual_ns);

/* Counts the samples of a process, whose median is @median_ns an operation; @contamination of the quiet ones may not have been alone. */
DisturbanceShares disturbance_add_process(Disturbance *disturbance, const SampleBlock *block, const ClockFacts *clock,
                double median_ns, double contamination);

DisturbanceVerdict disturbance_judge(const Disturbance *disturbance, const DisturbanceFacts *facts);

/* Builds the message, absent if nothing could have marked a sample, and says why it is unfit. Returns 0 or a negative errno. */
int disturbance_report(const Disturbance *disturbance, const DisturbanceFacts *facts, Arena *arena,
                Benchd__Disturbed **ret_message, WarningList *warnings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The result of a whole run but its benchmarks: what was asked, on which machine, with which module, and what is to be
 * thought of it. Pure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/history/sealed-module.h"
#include "front/plan/module-request.h"
#include "front/samples/measurement.h"
#include "proto/benchd.pb-c.h"

typedef struct MachineControls MachineControls;

/* A module that was measured. */
typedef struct ResultModule {
        const ModuleRequest *wants;
        const SealedModule *stored;       /* hashed */
        const Benchd__RunResult *earlier; /* of the job that measured it before; NULL: it came with the request */
} ResultModule;

/* What a result is made from. Borrowed. */
typedef struct ResultFacts {
        const char *run_id;
        const Measurement *measurement;
        Benchd__Environment *environment;
        ResultModule modules[RUNNER_SIDES_MAX]; /* of a comparison the new and the old one */
        size_t n_modules;
        const char *compiler; /* of the first */
        double margin;        /* of a comparison */
        uint64_t seed;
        uint64_t started_at_unix_ns;
        bool quick;
        bool cancelled;
        bool optimized; /* the module was compiled with optimisation */
        const MachineControls *machine;
        const uint32_t *image_states; /* ImageState of each module */
        int shared_cpu;               /* the one that keeps house, where it was lent; else -1 */
} ResultFacts;

Benchd__RunResult__Verdict result_verdict(const MeasurementCount *count, bool cancelled);

/* The names of the methods of @plan: "benchd", and how it departs from the usual, such as "benchd cold"; older ones' own. */
char *result_method(Arena *arena, const RunPlan *plan);

/* Builds the result in @arena. Returns 0 or a negative errno. */
int result_build(Arena *arena, const ResultFacts *facts, Benchd__RunResult **ret_result);

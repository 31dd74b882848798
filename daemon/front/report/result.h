/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The result of a whole run, without its benchmarks: the plan, the machine, the modules, the warnings and the verdict.
 * Pure.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/history/sealed-module.h"
#include "front/plan/module-request.h"
#include "front/samples/measurement.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;
typedef struct MachineControls MachineControls;

/* A measured module. */
typedef struct ResultModule {
        const ModuleRequest *wants;
        const SealedModule *stored; /* hashed */
        const char *compiler;       /* as the module itself says, and: */
        bool optimized;
        const InspectionBlock *inspected; /* NULL: its file could not be inspected */
        uint32_t n_links;                 /* that were measured */
        const Benchd__RunResult *earlier; /* the result of its job, if it was recalled; else NULL */
} ResultModule;

/* The facts for a result. Borrowed. */
typedef struct ResultFacts {
        const char *run_id;
        const Benchd__RunRequest *run;
        const Measurement *measurement;
        Benchd__Environment *environment;
        ResultModule modules[RUNNER_SIDES_MAX]; /* a comparison has the new and the old one */
        size_t n_modules;
        char *const *input_names;
        const SealedModule *inputs; /* NULL: none */
        uint64_t seed;
        uint64_t started_at_unix_ns;
        bool cancelled;
        uint32_t turns;     /* of the queue, interrupted by other jobs */
        uint64_t waited_ns; /* between its turns */
        uint64_t span_ns;   /* from the begin of its first process to the end of its last */
        bool late;          /* a part of a spread run was due before the one before it was over */
        const MachineControls *machine;
        const uint32_t *image_states; /* SampleImageState of each module */
        int shared_cpu;               /* the housekeeping CPU if it was lent, else -1 */
} ResultFacts;

Benchd__RunResult__Verdict result_verdict(const MeasurementCount *count, bool cancelled);

/* The names of the methods of @plan: "benchd", possibly with options of @run ("benchd cold"), or the names of older methods. */
char *result_method(Arena *arena, const Plan *plan, const Benchd__RunRequest *run);

/* Builds the result in @arena. Returns 0 or a negative errno. */
int result_build(Arena *arena, const ResultFacts *facts, Benchd__RunResult **ret_result);

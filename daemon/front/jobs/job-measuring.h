/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The measuring of a run: its plan once the modules are listed, the machine as it begins, what each process tells, and the result that
 * is made of all this. Which process runs when is job's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "front/base/arena.h"
#include "front/base/share.h"
#include "front/report/machine-controls.h"
#include "ops/ops.h"
#include "proto/benchd.pb-c.h"

typedef struct RunnerDeadProcess RunnerDeadProcess;
typedef struct JobModules JobModules;
typedef struct JobServices JobServices;
typedef struct Measurement Measurement;
typedef struct ReplyError ReplyError;

enum {
        _JOB_MEASURING_E_SUCCESS,

        JOB_MEASURING_E_FULL, /* ret_why has the limit */
};

/* All zero: nothing is planned yet. */
typedef struct JobMeasuring {
        const JobServices *services; /* borrowed, as the next two */
        const JobModules *modules;
        const Benchd__RunRequest *run;
        Measurement *measurement;
        ShareHold samples; /* the memory of those that it holds */
        MachineControls controls;
        uint64_t seed;
        uint64_t started_at_unix_ns;
        double load;              /* then: what ran beside it, and not the run itself */
        double memory_stall;      /* then */
        const char *power_source; /* then; static, or NULL */
        uint32_t turns;           /* with turns of others between them */
        uint64_t waited_ns;       /* between its turns */
} JobMeasuring;

/*
 * Plans @run of @uid by the listings and chosen names of @modules, with the seed of the request or one that is drawn. All outlive
 * @measuring, which is to be cleared in any case. Returns 0, PLAN_E_*, or a negative errno.
 */
int job_measuring_plan(JobMeasuring *measuring, const JobServices *services, uid_t uid, const Benchd__RunRequest *run,
                const JobModules *modules);
void job_measuring_clear(JobMeasuring *measuring);

/* Notes that the first process is about to run, and what ran on the machine until then. */
void job_measuring_begin(JobMeasuring *measuring, uint64_t now_unix_ns);

/*
 * Notes a process that was timed or counted, @ended as @process says. Returns 0, E_FULL where the samples that are held now are more than
 * may be, or a negative errno.
 */
int job_measuring_note(JobMeasuring *measuring, const OpsEnded *ended, const RunnerDeadProcess *process,
                ReplyError *ret_why);

/*
 * The result of the next benchmark to report, in @arena, with the findings in its machine code and of its files; NULL if there is none.
 * @partial: measurement_take_result(). Returns 0 or a negative errno.
 */
int job_measuring_take(JobMeasuring *measuring, bool partial, Arena *arena, Benchd__BenchmarkResult **ret_result);

/* Builds the result of the run @run_id in @arena: of all, or where it was @cancelled of a part. Returns 0 or a negative errno. */
int job_measuring_build(JobMeasuring *measuring, const char *run_id, bool cancelled, Arena *arena,
                Benchd__RunResult **ret_result);

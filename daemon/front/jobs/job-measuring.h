/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Measuring of a run: its plan once the modules are listed, the machine's state at the start, the report of each process, and the final
 * result. job decides which process runs when.
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
typedef struct PlanProcess PlanProcess;
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
        ShareHold samples; /* the memory of the samples held by `measurement` */
        MachineControls controls;
        uint64_t links[RUNNER_SIDES_MAX]; /* of each module, those that were measured: bits 1 << number */
        uint64_t seed;
        uint64_t started_at_unix_ns;
        double load;              /* at the start: what else ran, without the run itself */
        double memory_stall;      /* at the start */
        const char *power_source; /* at the start; static, or NULL */
        uint32_t part;            /* of the plan, that of the last process */
        bool late;                /* a part was due before the one before it was over */
        uint64_t begun_ns;        /* by the monotonic clock */
        uint64_t ended_ns;        /* of the last process */
        uint32_t turns;           /* taken, interrupted by turns of other jobs */
        uint64_t waited_ns;       /* between its turns */
} JobMeasuring;

/*
 * Plans @run of @uid from the listings and chosen names of @modules, with the seed of the request or a random one. All arguments must
 * outlive @measuring, which must be cleared in any case. Returns 0, PLAN_E_*, or a negative errno.
 */
int job_measuring_plan(JobMeasuring *measuring, const JobServices *services, uid_t uid, const Benchd__RunRequest *run,
                const JobModules *modules);
void job_measuring_clear(JobMeasuring *measuring);

/* Notes that the first process is about to run, and the load of the machine until then. */
void job_measuring_begin(JobMeasuring *measuring, uint64_t now_unix_ns, uint64_t now_ns);

/* The time that the rests of a run that is spread over time leave it, at least; 0: it does not rest. */
uint64_t job_measuring_rests_ns(const JobMeasuring *measuring, uint64_t now_ns);

/*
 * Goes on to the part of @next, and returns true, if that is another part; then the run gives up its turn, and rests until
 * @ret_due_ns, which may be over.
 */
bool job_measuring_part(JobMeasuring *measuring, const PlanProcess *next, uint64_t now_ns, uint64_t *ret_due_ns);

/*
 * Notes a process that has timed or counted, and @ended as @process says. Returns 0, E_FULL if the samples now held exceed the user's
 * share, or a negative errno.
 */
int job_measuring_note(JobMeasuring *measuring, const OpsEnded *ended, const RunnerDeadProcess *process,
                ReplyError *ret_why);

/*
 * Builds the result of the next benchmark to report, in @arena, with the findings in its machine code and on its files; NULL if there is
 * none. @partial: measurement_take_result(). Returns 0 or a negative errno.
 */
int job_measuring_take(JobMeasuring *measuring, bool partial, Arena *arena, Benchd__BenchmarkResult **ret_result);

/* Builds the result of the run @run_id in @arena; if it was @cancelled, of what was measured. Returns 0 or a negative errno. */
int job_measuring_build(JobMeasuring *measuring, const char *run_id, bool cancelled, Arena *arena,
                Benchd__RunResult **ret_result);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Tunables: settings of the machine that are changed while CPUs are leased. Each has a row that reads the machine and
 * plans the wanted values; machine/applied-plan.h applies them. Settings that affect only one process are left to that
 * process: huge pages, memory policy.
 *
 *      platform-profile       a firmware's profile; only by `set-governor`
 *      energy-preference      the hardware's own bias, of the leased CPUs' policies: none for saving
 *      governor               performance: no ramp-up
 *      frequency limits       both at the base frequency, or where none is told, the lower at the upper
 *      boost                  off: what is left depends on the heat and on the neighbours
 *      idle-latency           as much as C1 takes to leave, as long as a descriptor is open. Not 0: an idle sibling would
 *                             poll, on the issue slots of the core that measures
 *      irq-affinity           off the leased CPUs; the kernel refuses this for interrupts that it manages itself
 *      workqueues             unbound work off the leased CPUs
 *      watchdog               off the leased CPUs; where it cannot be, off
 *      timer-migration        off, or idle CPUs give their timers to the busy one, which measures
 *      page-merging           KSM stopped: it walks memory and breaks pages apart
 */

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/file-value.h"
#include "machine/restore-record.h"
#include "ops/outcome.h"

typedef struct RestoreJournal RestoreJournal;
typedef struct RootDir RootDir;

/* The wanted values as data: one step per file, in the order of writing. */

/*
 * In the order of writing. A preference is taken only until the governor is `performance`; a governor resets no_turbo,
 * and no_turbo clamps the limits, so that the limits come before it; of two limits that rise, the upper one rises first.
 * Restoring goes backwards through the same.
 */
typedef enum TunableId {
        TUNABLE_PLATFORM_PROFILE,
        TUNABLE_EPP,
        TUNABLE_GOVERNOR,
        TUNABLE_MAX_FREQUENCY,
        TUNABLE_MIN_FREQUENCY,
        TUNABLE_BOOST,
        TUNABLE_IDLE_LATENCY,
        TUNABLE_IRQ_AFFINITY,
        TUNABLE_WORKQUEUES,
        TUNABLE_WATCHDOG,
        TUNABLE_TIMER_MIGRATION,
        TUNABLE_KSM,
        _TUNABLE_N,
} TunableId;

typedef struct TunableStep {
        TunableId id;
        FileValueKind kind;
        char path[RESTORE_KEY_MAX];
        char want[FILE_VALUE_MAX];
        char was[FILE_VALUE_MAX]; /* before it was first changed */
        char is[FILE_VALUE_MAX];
        OpsOutcome outcome;
} TunableStep;

typedef struct TunablePlan {
        TunableStep *steps; /* rising by id */
        size_t n_steps;
} TunablePlan;

/*
 * Inserts a copy of @step in order. The first step for a path wins, so a lease is planned before a scheme. Returns 0 or
 * a negative errno.
 */
int tunable_plan_add(TunablePlan *plan, const TunableStep *step);
void tunable_plan_clear(TunablePlan *plan);

/* The step of @path; NULL if there is none. */
TunableStep *tunable_plan_find(const TunablePlan *plan, const char *path);

typedef struct TunableWish {
        cpu_set_t leased; /* with their siblings, which stay empty; none: no wish */
        cpu_set_t others; /* where interrupts and work go instead: at least one */
        uint32_t without; /* bits 1 << TunableId of tunables to leave alone */
} TunableWish;

/* The name of a tunable: a static string. */
const char *tunable_name(TunableId id);

/*
 * Adds the steps for @wish on the machine below @root to @plan. @journal has the original values of files that are
 * changed already. Returns 0 or a negative errno.
 */
int tunables_plan(RootDir *root, const RestoreJournal *journal, const TunableWish *wish, TunablePlan *plan);

/*
 * Adds a step that switches boost (turbo) of the policies of @cpus, with whichever switch the driver has. Returns 0 or
 * a negative errno.
 */
int tunable_plan_boost(RootDir *root, const cpu_set_t *cpus, bool on, TunablePlan *plan);

/*
 * The time that CPUs may take to leave an idle state: a request that the kernel keeps while its descriptor is open, so
 * it ends with the process that made it.
 */

#define TUNABLE_LATENCY_PATH "dev/cpu_dma_latency"

enum {
        _TUNABLE_LATENCY_E_SUCCESS,

        TUNABLE_LATENCY_E_UNSUPPORTED, /* no such device */
        TUNABLE_LATENCY_E_DENIED,
};

/* Opens the device, without a request yet. Returns 0, E_*, or a negative errno. */
int tunable_latency_open(RootDir *root, int *ret_fd);

/* Requests at most @us microseconds. Returns 0 or a negative errno. */
int tunable_latency_request(int fd, int32_t us);

/* Reads the smallest of all requests, in microseconds; very large without any. Returns 0 or a negative errno. */
int tunable_latency_read(int fd, int32_t *ret_us);

/* The policies of cpufreq: which CPUs change their frequency together, and where their files are. */

#define TUNABLE_CPUFREQ_POLICIES_MAX 1024u
#define TUNABLE_CPUFREQ_PATH_MAX     128u
#define TUNABLE_CPUFREQ_TEXT_MAX     256u /* bytes of a list of governors or preferences */

/*
 * Finds the policies of @cpus: their numbers into @numbers of TUNABLE_CPUFREQ_POLICIES_MAX, ascending. None without cpufreq, as
 * in most virtual machines. Returns 0 or a negative errno.
 */
int tunable_cpufreq_policies(RootDir *root, const cpu_set_t *cpus, unsigned *numbers, size_t *ret_n);

/* Writes the path of the file @name of policy @number into @path of TUNABLE_CPUFREQ_PATH_MAX bytes. Returns it. */
const char *tunable_cpufreq_path(unsigned number, const char *name, char *path);

/*
 * Reads that file into @text of TUNABLE_CPUFREQ_TEXT_MAX bytes; empty if the file is missing. Returns 0 or a negative
 * errno.
 */
int tunable_cpufreq_read(RootDir *root, unsigned number, const char *name, char *text);

/* True if @word is one of @words, which are separated by blanks. */
bool tunable_cpufreq_list_has(const char *words, const char *word);

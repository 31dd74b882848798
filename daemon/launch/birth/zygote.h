/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The zygote: a small process forked before the launcher restricts itself, from which every runner is born.
 *
 * A seccomp filter is inherited, cannot be removed, and would be measured with the benchmark: so runners descend from a
 * process that never had one. The zygote does what must be done as root and before exec: limits, affinity, memory
 * policy, and the layout of descriptors. Its forks are children of the launcher (CLONE_PARENT), so that a pid stays
 * theirs until the launcher reaps it.
 */

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

#include "launch/birth/workplace.h"
#include "ops/ops.h"
#include "ops/runner-plan.h"

typedef struct BirthFault BirthFault;
typedef struct BirthPrograms BirthPrograms;

typedef struct Zygote {
        pid_t pid;
        int fd;
        int lifeline_fd;    /* open while this process lives: cells end when it is closed */
        BirthFault *faults; /* of each place, shared with the zygote */
} Zygote;

#define ZYGOTE_NULL ((Zygote){ .pid = -1, .fd = -1, .lifeline_fd = -1 })

#define ZYGOTE_PATH_MAX   280u
#define ZYGOTE_GROUPS_MAX 4u

/* The resources that a runner is born with. */
typedef struct ZygoteBirth {
        cpu_set_t cpus; /* that it may use: one, unless it is unprepared or its body has CPUs for its own threads */
        int32_t cpu;    /* the first of them; -1: CPUs and memory are not bound */
        uint32_t environment_padding_bytes;
        uint32_t counts;              /* 1: with the counting library in front of libc */
        uint32_t inspects;            /* 1: as benchd-inspect instead of the runner */
        uint32_t fixed_layout;        /* 1: no address is random */
        uint32_t common_layout;       /* 1: random only by the plan's draw, which both sides share */
        uint32_t sides;               /* of the plan: the number of runners, in one cell */
        uint64_t stack_bytes;         /* of its main thread */
        uint32_t stack_asked;         /* 1: the submitter asked for that size, so the outcome is reported */
        uint64_t address_space_bytes; /* unless it joins a group of bounds_memory */
        uint32_t bounds_memory;       /* numbers of groups, as bits */
        uint64_t tasks;               /* 0: no limit */
        uint32_t works;               /* 1: in its own directory */
        uint32_t keeps;               /* 1: ... that a keeper makes where the plan says (launch/birth/keeper.h) */
        uint32_t sees;                /* 1: it sees paths of the plan's, which a keeper opens */
        uint32_t place;               /* ... for which this is the place */
        WorkplaceOwner owner;         /* ... and this its user */
        char groups[ZYGOTE_GROUPS_MAX]
                   [ZYGOTE_PATH_MAX]; /* files to write oneself to, so as to join a control group; empty: none */
} ZygoteBirth;

/* The newborn's report, the first bytes on its pipe, before any code of the submitter runs. */
typedef struct ZygoteReport {
        uint32_t affinity;      /* OpsOutcome */
        uint32_t memory;        /* OpsOutcome */
        uint32_t random_layout; /* OpsOutcome of leaving addresses random, or 0 */
        uint32_t fixed_layout;  /* ... of making them fixed, or 0 */
        uint32_t common_layout; /* ... of giving both sides the same, by their plan's draw, or 0 */
        uint32_t joined;        /* control groups, as bits 1 << their number in the birth */
        uint32_t namespaces;    /* OpsOutcome of having its own */
        uint32_t stack;         /* OpsOutcome of a size that was asked for, or 0 */
        uint64_t stack_bytes;   /* that the stack has */
} ZygoteReport;

/* The newborn processes, children of the launcher. */
typedef struct ZygoteNewborn {
        pid_t runners[RUNNER_SIDES_MAX]; /* one a side */
        pid_t first;                     /* of their cell; 0: they have none */
} ZygoteNewborn;

enum {
        ZYGOTE_FD_PLAN, /* as RUNNER_FD_PLAN and the following, with the output in between */
        ZYGOTE_FD_BLOCK,
        ZYGOTE_FD_ASK,
        ZYGOTE_FD_ANSWER,
        ZYGOTE_FD_OUTPUT,
        ZYGOTE_FD_MODULE, /* and libraries, of each side, then inputs; none in a calibration */
        ZYGOTE_FDS_MAX = ZYGOTE_FD_MODULE + RUNNER_SIDES_MAX + RUNNER_LIBRARIES_MAX + RUNNER_INPUTS_MAX,
};

typedef struct ZygoteConfig {
        const BirthPrograms *programs; /* their descriptors stay the caller's */
        const char *work;              /* path for runners' directories if nothing can be mounted; NULL: the unit's */
} ZygoteConfig;

/*
 * Forks the zygote, which will execute the runner of the programs, with the counting library preloaded if a birth says so. It makes
 * the directories of runners while it has all rights, and then calls capabilities_limit(). Returns 0 or a negative errno.
 */
int zygote_start(const ZygoteConfig *config, Zygote *ret_zygote);

/* Ends the zygote after all runners are dead, and removes the directories of runners. */
void zygote_stop(Zygote *zygote);

/* Reads the step at which the last birth at @place failed, with the error; empty: no step has failed so far. */
void zygote_read_fault(const Zygote *zygote, uint32_t place, char ret_words[static OPS_TEXT_MAX]);

/*
 * Has the zygote remove what the dead runner of @place left in its directory, before the next birth. Returns 0 or a
 * negative errno.
 */
int zygote_clear(Zygote *zygote, uint32_t place);

/*
 * Has the output @fd of the runner of @place trimmed by a separate process, which may have to wait for the runner. Does nothing if an
 * earlier trimmer still waits. Returns 0 or a negative errno.
 */
int zygote_trim(Zygote *zygote, uint32_t place, int fd);

/*
 * Starts the runners of @birth with @fds, which stay the caller's: in a cell (launch/birth/cell.h), or without cells if the first birth shows
 * that none can be had. Returns 0 or a negative errno.
 */
int zygote_spawn(Zygote *zygote, const ZygoteBirth *birth, const int *fds, size_t n_fds, ZygoteNewborn *ret_newborn);

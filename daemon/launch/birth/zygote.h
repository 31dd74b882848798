/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The zygote: a small process forked before the launcher restricts itself, from which every runner is born.
 *
 * A seccomp filter is inherited and cannot be shed, and would be measured with the benchmark: so runners descend from a
 * process that never had one. It does what must be done as root and before exec: limits, affinity, memory policy, and
 * the layout of descriptors. Its children are the launcher's (CLONE_PARENT), so that a pid stays theirs until the
 * launcher reaps it.
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
        int lifeline_fd;    /* open for as long as this process lives: what is in cells ends when it is closed */
        BirthFault *faults; /* of each place, shared with it */
} Zygote;

#define ZYGOTE_NULL ((Zygote){ .pid = -1, .fd = -1, .lifeline_fd = -1 })

#define ZYGOTE_PATH_MAX   280u
#define ZYGOTE_GROUPS_MAX 4u

/* The means that a runner is born with. */
typedef struct ZygoteBirth {
        cpu_set_t cpus; /* that it may run on: one, unless it is unprepared or its body has CPUs for threads of its own */
        int32_t cpu;    /* the first of them; -1: its CPUs and memory are as they come */
        uint32_t environment_padding_bytes;
        uint32_t counts;              /* 1: with the counting library in front of libc */
        uint32_t inspects;            /* 1: as benchd-inspect instead of the runner */
        uint32_t fixed_layout;        /* 1: no address is random */
        uint32_t common_layout;       /* 1: none is but by the draw of the plan, whose sides have it in common */
        uint32_t sides;               /* of the plan: so many runners, in one cell */
        uint64_t stack_bytes;         /* of its main thread */
        uint32_t stack_asked;         /* 1: somebody asked for it, and is to be told */
        uint64_t address_space_bytes; /* unless it joins a group of bounds_memory */
        uint32_t bounds_memory;       /* numbers of groups, as bits */
        uint64_t tasks;               /* 0: no limit of ours */
        uint32_t works;               /* 1: in a directory of its own */
        uint32_t keeps;               /* 1: ... that a keeper makes where the plan says (launch/birth/keeper.h) */
        uint32_t sees;                /* 1: it sees paths of the plan's, which a keeper opens */
        uint32_t place;               /* ... for which this is the place */
        WorkplaceOwner owner;         /* ... and this its user */
        char groups[ZYGOTE_GROUPS_MAX]
                   [ZYGOTE_PATH_MAX]; /* files to write oneself to, so as to join a control group; empty: none */
} ZygoteBirth;

/* The newborn's own words, before anything of the submitter's runs: the first bytes on its pipe. */
typedef struct ZygoteReport {
        uint32_t affinity;      /* OpsOutcome */
        uint32_t memory;        /* OpsOutcome */
        uint32_t random_layout; /* OpsOutcome of leaving addresses random, or 0 */
        uint32_t fixed_layout;  /* ... of making them fixed, or 0 */
        uint32_t common_layout; /* ... of making those of two sides the same, by their plan's draw, or 0 */
        uint32_t joined;        /* control groups, as bits 1 << their number in the birth */
        uint32_t namespaces;    /* OpsOutcome of some of its own */
        uint32_t stack;         /* OpsOutcome of a size that was asked for, or 0 */
        uint64_t stack_bytes;   /* that it has */
} ZygoteReport;

/* The newborn, as children of the launcher. */
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
        const char *work; /* the path below which runners get their directories where nothing can be mounted; NULL: the unit's */
} ZygoteConfig;

/*
 * Forks the zygote, which will execute the runner of the programs, where a birth says so with the counting library preloaded. It makes
 * the directories of runners while it has all rights, and then keeps those of capabilities_limit(). Returns 0 or a negative errno.
 */
int zygote_start(const ZygoteConfig *config, Zygote *ret_zygote);

/* Ends it, when all runners are dead. The directories of runners go with it. */
void zygote_stop(Zygote *zygote);

/* The step at which the last birth at @place failed, with the error; empty: it did not, as far as it has come. */
void zygote_read_fault(const Zygote *zygote, uint32_t place, char ret_words[static OPS_TEXT_MAX]);

/* Has what the dead runner of @place left in its directory removed, before the next birth. Returns 0 or a negative errno. */
int zygote_clear(Zygote *zygote, uint32_t place);

/*
 * Has the output @fd of the runner of @place trimmed, by a process of its own that may wait for the runner. Nothing where such a one still
 * waits. Returns 0 or a negative errno.
 */
int zygote_trim(Zygote *zygote, uint32_t place, int fd);

/*
 * Has the runners of @birth born with @fds, which stay the caller's: in a cell (launch/birth/cell.h), or without one where the first birth of all
 * shows that none can be had. Returns 0 or a negative errno.
 */
int zygote_spawn(Zygote *zygote, const ZygoteBirth *birth, const int *fds, size_t n_fds, ZygoteNewborn *ret_newborn);

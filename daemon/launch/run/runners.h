/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runners that live, and the means of each besides its process: CPUs, a control group, the machine's lease. All of
 * it comes back when the runner is let go. Processes that it leaves behind are swept up. A runner that no signal ends keeps its
 * CPUs until it dies.
 */

#include <stdbool.h>

#include "launch/run/process.h"

typedef struct Equipment Equipment;
typedef struct FrontReceiver FrontReceiver;

#define RUNNERS_MAX OPS_PROCESSES_MAX

typedef struct RunnersConfig {
        sd_event *event;
        Zygote *zygote;
        Leases *leases;
        const Equipment *equipment;
        pid_t front_pid;               /* a child that is no leftover, or -1 */
        const FrontReceiver *receiver; /* whose processes are none either */
        const ReceiverCloser *closer;  /* the same */
} RunnersConfig;

typedef struct Runner {
        Process *process;       /* NULL: the place is free */
        bool tuned;             /* the machine is switched for it */
        uint32_t shared_caches; /* with others that measured meanwhile: levels, as bits */
} Runner;

typedef struct Runners {
        RunnersConfig config;
        uint64_t last_id;
        sd_event_source *sweep_source;
        Runner places[RUNNERS_MAX];
} Runners;

/* All that @config points to outlives the runners. */
void runners_init(Runners *runners, const RunnersConfig *config);

/* Kills them all, and what they left behind. */
void runners_clear(Runners *runners);

/* Lets go of all but one that calibrates. */
void runners_end(Runners *runners);

bool runners_have_place(Runners *runners);

/* NULL if none that lives has this id. */
Process *runners_find(Runners *runners, uint64_t id);

/*
 * Has a runner born as @config says, which is completed: its number, its control group, and where it comes from. One that has leases
 * finds the machine tuned, unless it is unprepared or calibrates. There is a place. Returns 0, or a negative errno, and then its
 * leases are given back.
 */
int runners_start(Runners *runners, ProcessConfig *config);

/* Notes, when one that measures has started, who shares which caches with whom. */
void runners_note_company(Runners *runners);

/* @cpu was switched off: the end of those that had it will tell. */
void runners_lose_cpu(Runners *runners, int cpu);

/* Ends what a dead @process left behind, and removes its control group. */
void runners_sweep_after(Runners *runners, Process *process);

/* How a dead @process ended, and what it had of the machine. */
void runners_describe_end(Runners *runners, Process *process, OpsEnded *ret_ended);

/* Takes back what @process has, and frees it. */
void runners_let_go(Runners *runners, Process *process);

/* The machine is no longer switched for @process, which is stuck: what it has stays lent. */
void runners_leave_stuck(Runners *runners, Process *process);

/* The processes that are stuck, with the CPUs that each keeps, at most @max into @ret_stuck. Returns how many. */
size_t runners_describe_stuck(const Runners *runners, OpsStuck *ret_stuck, size_t max);

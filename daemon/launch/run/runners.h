/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The live runners, and the resources of each besides its process: CPUs, a control group, the machine's lease. All are given
 * back when the runner is let go. Processes that it leaves behind are swept up. A runner that no signal ends keeps its CPUs
 * until it dies.
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
        pid_t front_pid;               /* a child that is not a stray, or -1 */
        const FrontReceiver *receiver; /* its processes are not strays either */
        const ReceiverCloser *closer;  /* the same */
} RunnersConfig;

typedef struct Runner {
        Process *process;       /* NULL: the place is free */
        bool tuned;             /* the machine is tuned for it */
        uint32_t shared_caches; /* levels of caches shared with other measuring runners, as bits */
} Runner;

typedef struct Runners {
        RunnersConfig config;
        uint64_t last_id;
        sd_event_source *sweep_source;
        Runner places[RUNNERS_MAX];
} Runners;

/* Everything that @config points to must outlive the runners. */
void runners_init(Runners *runners, const RunnersConfig *config);

/* Kills them all, and the processes that they left behind. */
void runners_clear(Runners *runners);

/* Lets go of all runners but one that calibrates. */
void runners_end(Runners *runners);

bool runners_have_place(Runners *runners);

/* Returns NULL if no live runner has this id. */
Process *runners_find(Runners *runners, uint64_t id);

/*
 * Starts a runner as @config says, after filling in its id, its control group and the zygote. For a runner with leases the machine
 * is tuned first, unless it is unprepared or calibrates. The caller has checked that there is a place. Returns 0, or a negative
 * errno, and then its leases are given back.
 */
int runners_start(Runners *runners, ProcessConfig *config);

/* Call it when a measuring runner has started: notes for all which caches they share. */
void runners_note_company(Runners *runners);

/* Notes that @cpu was switched off: the reports of runners that had it say so. */
void runners_lose_cpu(Runners *runners, int cpu);

/* Kills processes that a dead @process left behind, and removes its control group. */
void runners_sweep_after(Runners *runners, Process *process);

/* Describes how a dead @process ended, and the state of the machine that it had. */
void runners_describe_end(Runners *runners, Process *process, OpsEnded *ret_ended);

/* Takes back the resources of @process, and frees it. */
void runners_let_go(Runners *runners, Process *process);

/* Ends the tuning of the machine for @process, which is stuck; its CPUs stay lent. */
void runners_leave_stuck(Runners *runners, Process *process);

/* Lists the stuck processes with the CPUs that each keeps, at most @max into @ret_stuck. Returns their number. */
size_t runners_describe_stuck(const Runners *runners, OpsStuck *ret_stuck, size_t max);

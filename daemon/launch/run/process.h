/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One run's process, from its birth to the end of all its descendants: its descriptors, its time limit, its windows, and how it
 * ended. It is killed with its control group. A process that SIGKILL does not end is stuck: its end is reported all the same,
 * and it is watched until it dies.
 */

#include <systemd/sd-event.h>

#include "launch/birth/cell.h"
#include "launch/birth/run-group.h"
#include "launch/birth/zygote.h"
#include "launch/lease/lease.h"
#include "launch/trust/ticket.h"
#include "ops/ops.h"

typedef struct Process Process;

/*
 * Called once, when nothing of the run lives or when it is stuck. The process is still valid; the callback frees one
 * that is not stuck.
 */
typedef void (*ProcessEnded)(Process *process, void *userdata);

/* Called while something of the run lives that should not, or a zombie cannot be reaped because it is traced. */
typedef void (*ProcessSweep)(void *userdata);

typedef struct ProcessConfig {
        sd_event *event;
        Zygote *zygote;
        RootDir *root;
        ProcessEnded ended;
        ProcessEnded freed; /* called once when a stuck process is dead; the callback frees it. NULL: never counts as stuck */
        void *userdata;
        ProcessSweep sweep;
        void *sweep_userdata;
        uint64_t id;
        uint64_t serial; /* of the request that it answers */
        uint64_t timeout_ns;
        const RunnerPlan *plan;     /* complete */
        const Ticket *ticket;       /* NULL in a calibration */
        const Ticket *other_ticket; /* of the plan's second side; NULL: the plan has one side */
        LeaseSet leases;            /* of all its CPUs; none: it keeps to plan->cpus[0] without FIFO */
        ZygoteBirth birth;
        RunGroups *groups;
        RunGroup group;        /* the group that it is born in */
        RunGroupBounds bounds; /* of that group; its CPUs come from the leases */
        bool caged;            /* no SCHED_FIFO without a cpuset */
} ProcessConfig;

/* Starts a runner and watches it. Returns 0 or a negative errno. */
int process_new(const ProcessConfig *config, Process **ret_process);

/* Kills the run if it lives, and forgets it; the sweep of strays reaps it. Its leases are not given back here. */
Process *process_free(Process *process);

/*
 * True if a process that waits for a CPU has timed out after @n_timeouts of @timeout_ns each: it has had a CPU for half a timeout, or six
 * timeouts have passed. The module is not to blame for a machine that is busy or stood still. Pure.
 */
bool process_time_is_over(uint64_t timeout_ns, unsigned n_timeouts, uint64_t cpu_ns);

/* Kills it; its end is reported as always. */
void process_kill(Process *process);

/*
 * Takes in @pid, which a client of @uid had when it connected: it gets the CPUs and the control group, and dies with the run. Returns 0,
 * ADOPTED_E_*, or a negative errno.
 */
int process_adopt(Process *process, pid_t pid, uid_t uid, OpsAdopted *ret_adopted);

/* True if it took in @pid, which lives, and does not end. */
bool process_has_adopted(const Process *process, pid_t pid);

/* Notes that @cpu was switched off: if it is one of the process's CPUs, the report of its end says so. */
void process_lose_cpu(Process *process, int cpu);

pid_t process_pid(const Process *process);
pid_t process_other_pid(const Process *process); /* of a comparison's second side; 0: there is none */
pid_t process_first_pid(const Process *process); /* of its cell; 0: none, or reaped */
uint64_t process_id(const Process *process);
uint64_t process_serial(const Process *process);
uid_t process_uid(const Process *process); /* whose module it runs; -1 in a calibration */
RunnerMode process_mode(const Process *process);
LeaseSet *process_leases(Process *process);
RunGroup *process_group(Process *process);

/* Returns the process that was killed and lives on; 0 if there is none. */
pid_t process_stuck_pid(const Process *process);

/* Fills in benchd's record of a process that ended. The descriptors that go with it stay the process's. */
void process_describe_end(const Process *process, OpsEnded *ret_ended);
int process_block_fd(const Process *process);
int process_output_fd(const Process *process);

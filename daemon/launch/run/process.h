/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One run's process, from its birth to the end of all that it became: its descriptors, its time limit, its windows, and how it
 * ended. It is killed with its control group. A process that SIGKILL does not end is stuck: its end is told all the same, and it
 * is watched until it dies.
 */

#include <systemd/sd-event.h>

#include "launch/birth/cell.h"
#include "launch/birth/run-group.h"
#include "launch/birth/zygote.h"
#include "launch/lease/lease.h"
#include "launch/trust/ticket.h"
#include "ops/ops.h"

typedef struct Process Process;

/* Told once, when nothing of the run lives, or when it is stuck. The process is still whole; the receiver frees one that is not stuck. */
typedef void (*ProcessEnded)(Process *process, void *userdata);

/* Told while something of the run lives that should not, or its corpse cannot be reaped, since somebody traces it. */
typedef void (*ProcessSweep)(void *userdata);

typedef struct ProcessConfig {
        sd_event *event;
        Zygote *zygote;
        RootDir *root;
        ProcessEnded ended;
        ProcessEnded freed; /* told once of one that was stuck, when it is dead; the receiver frees it. NULL: it is never stuck */
        void *userdata;
        ProcessSweep sweep;
        void *sweep_userdata;
        uint64_t id;
        uint64_t serial; /* of the request that it answers */
        uint64_t timeout_ns;
        const RunnerPlan *plan;     /* complete */
        const Ticket *ticket;       /* NULL in a calibration */
        const Ticket *other_ticket; /* of the plan's second side; NULL: it has one */
        LeaseSet leases;            /* of all its CPUs; none: it keeps to plan->cpus[0], and gets no FIFO */
        ZygoteBirth birth;
        RunGroups *groups;
        RunGroup group;        /* that it is born in */
        RunGroupBounds bounds; /* of that group; its CPUs come from the leases */
        bool caged;            /* no SCHED_FIFO without a cpuset */
} ProcessConfig;

/* Has a runner born and watches it. Returns 0 or a negative errno. */
int process_new(const ProcessConfig *config, Process **ret_process);

/* Kills the run if it lives, and forgets it; whoever sweeps up strays reaps it. Its leases are not given back here. */
Process *process_free(Process *process);

/*
 * True if the time of a process that waits for a CPU is over after @n_timeouts of @timeout_ns each: it has had one for half of a timeout,
 * or six have passed. That a machine is busy, or stood still, is no fault of a module's. Pure.
 */
bool process_time_is_over(uint64_t timeout_ns, unsigned n_timeouts, uint64_t cpu_ns);

/* Kills it; the end is told as always. */
void process_kill(Process *process);

/* @cpu was switched off: if it is one of its own, its end will tell. */
void process_lose_cpu(Process *process, int cpu);

pid_t process_pid(const Process *process);
pid_t process_other_pid(const Process *process); /* of a comparison's second side; 0: there is none */
pid_t process_first_pid(const Process *process); /* of its cell; 0: it has none, or that is reaped */
uint64_t process_id(const Process *process);
uint64_t process_serial(const Process *process);
RunnerMode process_mode(const Process *process);
LeaseSet *process_leases(Process *process);
RunGroup *process_group(Process *process);

/* The process that was killed and lives on; 0 if there is none. */
pid_t process_stuck_pid(const Process *process);

/* Fills in the record for benchd of a process that ended. The descriptors that go with it stay the process's. */
void process_describe_end(const Process *process, OpsEnded *ret_ended);
int process_block_fd(const Process *process);
int process_output_fd(const Process *process);

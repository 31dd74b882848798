/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One runner process, from its birth to its reaping: its descriptors, its time limit, its windows, and how it ended.
 */

#include <systemd/sd-event.h>

#include "launch/cpuset.h"
#include "launch/lease.h"
#include "launch/ticket.h"
#include "launch/zygote.h"
#include "ops/ops.h"

typedef struct Process Process;
typedef struct RootDir RootDir;

/* Told once, when the process is dead and reaped. The process is still whole; the receiver frees it. */
typedef void (*ProcessEnded)(Process *process, void *userdata);

/* Told while a process is dead and cannot be reaped, since somebody traces it. */
typedef void (*ProcessStuck)(void *userdata);

typedef struct ProcessConfig {
        sd_event *event;
        Zygote *zygote;
        RootDir *root;
        ProcessEnded ended;
        void *userdata;
        ProcessStuck stuck;
        void *stuck_userdata;
        uint64_t id;
        uint64_t serial; /* of the request that it answers */
        uint64_t timeout_ns;
        const RunnerPlan *plan;     /* complete */
        const Ticket *ticket;       /* NULL in a calibration */
        const Ticket *other_ticket; /* of the plan's second side; NULL: it has one */
        LeaseSet leases;            /* of a CPU for each thread; none: it keeps to plan->cpus[0], and gets no FIFO */
        ZygoteBirth birth;
        Cpuset cpuset; /* that it is born in */
        bool caged;    /* no SCHED_FIFO without it */
} ProcessConfig;

/* Has a runner born and watches it. Returns 0 or a negative errno. */
int process_new(const ProcessConfig *config, Process **ret_process);

/* Kills the process if it lives, and forgets it; whoever sweeps up strays reaps it. Its leases are not given back here. */
Process *process_free(Process *process);

/* Kills it; the end is told as always. */
void process_kill(Process *process);

/* @cpu was switched off: if it is one of its own, its end will tell. */
void process_lose_cpu(Process *process, int cpu);

pid_t process_pid(const Process *process);
uint64_t process_id(const Process *process);
uint64_t process_serial(const Process *process);
RunnerMode process_mode(const Process *process);
LeaseSet *process_leases(Process *process);
Cpuset *process_cpuset(Process *process);

/* Fills in the record for benchd of a process that ended. The descriptors that go with it stay the process's. */
void process_describe_end(const Process *process, OpsEnded *ret_ended);
int process_block_fd(const Process *process);
int process_output_fd(const Process *process);

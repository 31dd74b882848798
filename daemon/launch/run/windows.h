/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's side of windows (ops/window.h), for one runner: which threads take part, when a window may begin, what
 * was granted, and that it ends in time. All threads get SCHED_FIFO, or none: a thread with it would spin while it
 * waits for one without. So none has it if the body has CPUs for its own threads: the launcher does not know these, and
 * one that shared its CPU with a spinning thread at SCHED_FIFO would wait for the whole window.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <systemd/sd-event.h>

#include "launch/base/thread.h"
#include "launch/lease/lease.h"
#include "ops/ops.h"
#include "ops/window.h"

typedef struct Windows {
        /* given */
        sd_event *event;
        RootDir *root;
        LeaseSet leases; /* none: no window has SCHED_FIFO */
        bool ordinary;   /* no window shall have SCHED_FIFO */
        bool caged;      /* SCHED_FIFO only while @cage is OPS_OUTCOME_APPLIED */
        OpsOutcome cage; /* its cpuset */
        pid_t pid;       /* the runner's; 0 once it is reaped */
        pid_t other_pid; /* the second of two runners that take turns on the first CPU; 0: none, or reaped */
        int answer_fd;   /* the owner's */

        Thread threads[RUNNER_THREADS_MAX]; /* all but the first */
        size_t n_threads;
        size_t n_named;          /* right or wrong; at most the number of further threads */
        sd_event_source *source; /* for a window's end, or for the beginning of one that was requested too early */
        bool open;
        OpsOutcome scheduler; /* outcome of the last grant; UNSUPPORTED before the first */
        OpsOutcome affinity;  /* of the further threads; 0: all are on their CPUs */
} Windows;

/* Does what @word says. The module can write words too: an invalid one is ignored. */
void windows_take_word(Windows *windows, const WindowWord *word);

/* Ends the window that is open or waited for, if any. */
void windows_end(Windows *windows);

/*
 * Gives SCHED_FIFO to a thread of an unreaped child, other than its first, and reads it back. The thread's id may have been reused, so it
 * is checked before and after: a thread that did not belong to the child both times is made ordinary again.
 */
OpsOutcome windows_grant_thread(const Thread *thread, int cpu);

/*
 * When a CPU may have its next window of SCHED_FIFO. Pure: `now` comes in.
 *
 * The kernel throttles real-time tasks after 950 ms of a second. Windows of at most 400 ms, each followed by a pause of
 * a ninth of its length, use less than nine tenths of any second, so that never happens.
 */

/* Returns the time from @now_ns until a window may begin. */
uint64_t windows_grant_wait_ns(const LeaseGrant *grant, uint64_t now_ns);

/* Begins a window; returns when it must end. */
uint64_t windows_grant_begin(LeaseGrant *grant, uint64_t now_ns);

/* Ends the window; does nothing if none is open. */
void windows_grant_end(LeaseGrant *grant, uint64_t now_ns);

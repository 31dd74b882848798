/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's side of windows (ops/window.h), for one runner: which threads take part, when one may begin, what was
 * granted, and that it ends in time. All threads get SCHED_FIFO, or none: one that had it would spin while it waits for
 * one that had not. So none has it where the body has CPUs for threads of its own: these are unknown here, and one that
 * shares its CPU with a thread that has SCHED_FIFO, and that spins until it is done, would wait for the whole window.
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
        LeaseSet leases; /* none: there are no windows with SCHED_FIFO */
        bool ordinary;   /* there shall be none */
        bool caged;      /* there may be some only while @cage is OPS_OUTCOME_APPLIED */
        OpsOutcome cage; /* its cpuset */
        pid_t pid;       /* the runner's; 0 once it is reaped */
        pid_t other_pid; /* of two runners that take turns on the first CPU; 0: there is one, or it is reaped */
        int answer_fd;   /* the owner's */

        Thread threads[RUNNER_THREADS_MAX]; /* all but the first */
        size_t n_threads;
        size_t n_named;          /* right or wrong: never more than there are further threads */
        sd_event_source *source; /* a window's end, or the beginning of one that was asked for too early */
        bool open;
        OpsOutcome scheduler; /* what came of the last grant; UNSUPPORTED before */
        OpsOutcome affinity;  /* of the further threads; 0: all are where they should be */
} Windows;

/* Does what @word says. The module can write it too: what is no word is nothing. */
void windows_take_word(Windows *windows, const WindowWord *word);

/* Ends the one that is open or waited for, if any. */
void windows_end(Windows *windows);

/*
 * Gives SCHED_FIFO to a thread of an unreaped child, other than its first, and reads it back. The thread's id may be another process's by
 * now, so the thread is looked at before and after: one that was not the child's at both times is made ordinary again.
 */
OpsOutcome windows_grant_thread(const Thread *thread, int cpu);

/*
 * When a CPU may have its next window of SCHED_FIFO. Pure: `now` comes in.
 *
 * The kernel lets real-time tasks have 950 ms of a second and then throws them off. Windows of at most 400 ms, each
 * followed by a ninth of itself without one, stay under nine tenths over any second, so that never happens.
 */

/* How long from @now_ns until a window may begin. */
uint64_t windows_grant_wait_ns(const LeaseGrant *grant, uint64_t now_ns);

/* Begins a window; returns when it must end. */
uint64_t windows_grant_begin(LeaseGrant *grant, uint64_t now_ns);

/* Ends the window; nothing if none is open. */
void windows_grant_end(LeaseGrant *grant, uint64_t now_ns);

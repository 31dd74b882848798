/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conduct: acts of a module that make its numbers less meaningful, and that only this process can see. It leaves its
 * CPU, changes its scheduling, has threads that take CPU time, or prints or sleeps in timed code. Checked between
 * batches, as is a tracer of the process.
 *
 * A module may have its own threads. A sleeping thread costs nothing, so their CPU time counts, over the whole loop:
 * the kernel accounts for a thread on another CPU by the tick, which is longer than a batch. A pool may be made in the
 * loop, and grow there; but if batch after batch leaves threads behind, they run beside later batches, and their work
 * is in no batch.
 */

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct SampleConduct SampleConduct;
typedef struct Usage Usage;

/* The CPUs and the scheduling that the kernel gives this thread. */
typedef struct ConductPlace {
        cpu_set_t cpus;
        int policy;
        int nice;
} ConductPlace;

typedef struct Conduct {
        int status_fd;
        ConductPlace born;  /* before the module was loaded */
        uint32_t threads;   /* of the process, after its last batch */
        uint32_t n_growths; /* batches after which there were more of them */
        uint32_t n_members; /* measured threads */
        uint64_t began_ns;  /* the loop, by the monotonic clock */
        int64_t others_ns;  /* CPU time of other threads until the loop began */
} Conduct;

/* Call it before the module is loaded. @status_fd, of this process's /proc/self/status, stays the caller's. */
void conduct_begin(int status_fd, Conduct *conduct);

/*
 * Call it after set-up, for a team of @n_members: checks what the module did to this thread's CPU and scheduling, its
 * threads, and a tracer.
 */
void conduct_after_setup(Conduct *conduct, uint32_t n_members, SampleConduct *told);

/* Call it after each batch. True if batches leave threads behind again and again, as no pool does. */
bool conduct_left_thread(Conduct *conduct);

/* Counts the acts of a sample. */
void conduct_note_sample(SampleConduct *told, const Usage *usage);

/* Call it after the last sample. */
void conduct_end(const Conduct *conduct, SampleConduct *told);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conduct: acts of a module that make its numbers mean less, and that only this process can see. It leaves its CPU,
 * changes how it is scheduled, has threads that take CPU time, prints or sleeps where it is timed. Looked at between
 * batches. So is somebody who traces it.
 *
 * Threads of its own are a module's right. One that sleeps costs nothing, so what counts is their CPU time, over the whole
 * loop: the kernel accounts for a thread that runs elsewhere by the tick, which is longer than a batch. A pool may be made
 * in the loop, and grow there; but where batch after batch leaves threads behind, they run beside the next ones, and their
 * work is in no batch.
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
        uint32_t n_growths; /* batches that left more of them than there were */
        uint32_t n_members; /* that are measured */
        uint64_t began_ns;  /* the loop, by the monotonic clock */
        int64_t others_ns;  /* CPU time of other threads until then */
} Conduct;

/* Before the module is loaded. @status_fd, of this process's /proc/self/status, stays the caller's. */
void conduct_begin(int status_fd, Conduct *conduct);

/* After set-up, of a team of @n_members: what the module did to this thread's place, its threads, and its tracer. */
void conduct_after_setup(Conduct *conduct, uint32_t n_members, SampleConduct *told);

/* After each batch. True if batches leave threads behind time and again, as no pool does. */
bool conduct_left_thread(Conduct *conduct);

/* Counts what a sample did. */
void conduct_note_sample(SampleConduct *told, const Usage *usage);

/* After the last sample. */
void conduct_end(const Conduct *conduct, SampleConduct *told);

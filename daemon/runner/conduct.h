/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Conduct: acts of a module that make its numbers mean less, and that only this process can see. It leaves its CPU,
 * changes how it is scheduled, starts threads, prints or sleeps where it is timed. Looked at between batches. So is
 * somebody who traces it.
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
        ConductPlace born; /* before the module was loaded */
        uint32_t threads;  /* of the process, when its loop waited for the first batch */
} Conduct;

/* Before the module is loaded. @status_fd, of this process's /proc/self/status, stays the caller's. */
void conduct_begin(int status_fd, Conduct *conduct);

/* After set-up, of a team of @n_members: what the module did to this thread's place, its threads, and its tracer. */
void conduct_after_setup(Conduct *conduct, uint32_t n_members, SampleConduct *told);

/* True if a thread that the batch started outlives it. */
bool conduct_left_thread(const Conduct *conduct);

/* Counts what a sample did. */
void conduct_note_sample(SampleConduct *told, const Usage *usage);

/* After the last sample. */
void conduct_end(const Conduct *conduct, SampleConduct *told);

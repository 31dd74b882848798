/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Behaviour of a module beside its work, in any of its processes (runner/watch/conduct.h): a sentence on each thing that a reader should
 * know. And the company of its threads: they begin each batch together, but on a machine that has no CPU for one of them just then
 * it waits while the other runs, and the figures are without what they do to each other. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"

/*
 * Memory that was read and never written counts from here on: less hardly changes how it is cached, and a small part of all memory is
 * not where the time goes.
 */
#define BEHAVIOUR_UNWRITTEN_MIN   (128u << 10)
#define BEHAVIOUR_UNWRITTEN_SHARE 0.1
#define BEHAVIOUR_HUGE_PAGE       (UINT64_C(2) << 20)

#define BEHAVIOUR_OWN_THREADS 0.01 /* CPUs: a thread that wakes now and then takes less */

typedef struct Behaviour {
        SampleConduct sum;        /* bits and maxima over the processes; counts added up */
        uint64_t others_permille; /* added up */
        uint64_t n_samples;
        uint64_t writing_samples, blocking_samples;
        unsigned n_fifo, n_left_fifo; /* processes that were sampled at SCHED_FIFO; that left it, since they wait */
        bool pauses;                  /* so that it may print there, which the kernel does not tell apart */
        uint32_t n_threads;           /* that were measured at once, the most of any process */
        unsigned n_traced;            /* processes */
        unsigned n_untold;            /* processes that could not tell */
        uint32_t instruments;
        uint32_t files;                      /* FILE_KIND_*, of all processes */
        char preloaded[INSTRUMENT_NAME_MAX]; /* by the first process that had one; or empty */
        unsigned n_processes, n_mapped;      /* all; those that know how much memory they have */
        unsigned n_unwritten;                /* ... and much of it was read and never written */
        uint64_t unwritten_bytes;            /* the most in any process */
} Behaviour;

/* Adds the process that wrote @block. */
void behaviour_add(Behaviour *behaviour, const SampleBlock *block);

enum {
        _BEHAVIOUR_E_SUCCESS,

        BEHAVIOUR_E_UNKNOWN, /* a process could not tell, or none could */
};

/* Tells whether any process was traced. Returns 0 or E_UNKNOWN. */
int behaviour_traced(const Behaviour *behaviour, bool *ret_traced);

/* The instruments that took part in any process, a tracer among them. */
uint32_t behaviour_instruments(const Behaviour *behaviour);

/* The kinds of files that any process used, as a repeated field wants them. Returns 0 or a negative errno. */
int behaviour_list_files(const Behaviour *behaviour, Arena *arena, char ***ret_words, size_t *ret_n);

/* Tells the most memory of any process that was read and never written. Returns 0 or E_UNKNOWN. */
int behaviour_unwritten(const Behaviour *behaviour, uint64_t *ret_bytes);

/*
 * Tells how much CPU time its own threads took, over the time of its loop: the mean over the processes, in CPUs. Returns 0, or E_UNKNOWN
 * where several threads were measured.
 */
int behaviour_own_threads(const Behaviour *behaviour, double *ret_cpus);

/* True if they took so much that they count. */
bool behaviour_has_own_threads(const Behaviour *behaviour);

/* Appends a sentence on each thing that a reader should know. */
void behaviour_report(const Behaviour *behaviour, Arena *arena, WarningList *warnings);

#define BEHAVIOUR_TOGETHER 0.5 /* of a batch, from the first start to the last stop, and of all batches */

/* Batches of several threads. */
typedef struct BehaviourBatches {
        uint64_t n;
        uint64_t n_together; /* in which all ran at the same time for long enough */
} BehaviourBatches;

/* Adds batches of @n_threads (1 or more) threads, whose @n samples stand together, batch after batch. */
void behaviour_add_batches(BehaviourBatches *batches, const Sample *samples, size_t n, uint32_t n_threads);

/* The share of batches that were together; 1 if there were none. */
double behaviour_share_together(const BehaviourBatches *batches);

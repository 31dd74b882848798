/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Behaviour of a module beside its work, in any of its processes (runner/watch/conduct.h): a sentence on each thing that a reader should
 * know. Also how much its threads ran together: they begin each batch together, but if one finds no free CPU it waits while another runs,
 * and the figures lack their effect on each other. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"

/*
 * The least read but never written memory that is reported: less hardly changes caching, and a small part of all memory does not decide the
 * time.
 */
#define BEHAVIOUR_UNWRITTEN_MIN   (128u << 10)
#define BEHAVIOUR_UNWRITTEN_SHARE 0.1
#define BEHAVIOUR_HUGE_PAGE       (UINT64_C(2) << 20)

#define BEHAVIOUR_OWN_THREADS 0.01 /* in CPUs: a thread that wakes now and then takes less */

typedef struct Behaviour {
        SampleConduct sum;        /* bits and maxima over the processes; counts added up */
        uint64_t others_permille; /* added up */
        uint64_t n_samples;
        uint64_t writing_samples, blocking_samples;
        unsigned n_fifo, n_left_fifo; /* processes sampled at SCHED_FIFO; processes that left it, since they wait */
        bool pauses;                  /* its body pauses, and may print there: the kernel cannot tell the difference */
        uint32_t n_threads;           /* measured at a time; the most of any process */
        unsigned n_traced;            /* processes */
        unsigned n_untold;            /* processes with unknown behaviour */
        uint32_t instruments;
        uint32_t files;                      /* FILE_KIND_*, of all processes */
        char preloaded[INSTRUMENT_NAME_MAX]; /* of the first process that had one; or empty */
        unsigned n_processes, n_mapped;      /* all; the ones with known memory */
        unsigned n_unwritten;                /* of these, with much read but never written memory */
        uint64_t unwritten_bytes;            /* the most in any process */
} Behaviour;

/* Adds the process that wrote @block. */
void behaviour_add(Behaviour *behaviour, const SampleBlock *block);

enum {
        _BEHAVIOUR_E_SUCCESS,

        BEHAVIOUR_E_UNKNOWN, /* unknown in at least one process */
};

/* Reports if any process was traced. Returns 0 or E_UNKNOWN. */
int behaviour_traced(const Behaviour *behaviour, bool *ret_traced);

/* The instruments that took part in any process, including a tracer. */
uint32_t behaviour_instruments(const Behaviour *behaviour);

/* The kinds of files that any process used, as a repeated field. Returns 0 or a negative errno. */
int behaviour_list_files(const Behaviour *behaviour, Arena *arena, char ***ret_words, size_t *ret_n);

/* Reports the most memory that any process read but never wrote. Returns 0 or E_UNKNOWN. */
int behaviour_unwritten(const Behaviour *behaviour, uint64_t *ret_bytes);

/*
 * Reports the CPU time of the body's own threads per time of its loop: the mean over the processes, in CPUs. Returns 0, or E_UNKNOWN if
 * several threads were measured.
 */
int behaviour_own_threads(const Behaviour *behaviour, double *ret_cpus);

/* True if the body's own threads took at least BEHAVIOUR_OWN_THREADS. */
bool behaviour_has_own_threads(const Behaviour *behaviour);

/* Appends a sentence on each thing that a reader should know. */
void behaviour_report(const Behaviour *behaviour, Arena *arena, WarningList *warnings);

#define BEHAVIOUR_TOGETHER 0.5 /* of a batch, from first start to last stop; and of all batches */

/* Batches of several threads. */
typedef struct BehaviourBatches {
        uint64_t n;
        uint64_t n_together; /* in which all threads ran together for long enough */
} BehaviourBatches;

/* Adds batches of @n_threads (1 or more) threads: @n samples, grouped by batch. */
void behaviour_add_batches(BehaviourBatches *batches, const Sample *samples, size_t n, uint32_t n_threads);

/* The share of batches whose threads ran together; 1 if there were none. */
double behaviour_share_together(const BehaviourBatches *batches);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The number of processes that a precision needs, estimated from the spread of a benchmark's first processes (stats/interval.h) and capped
 * by the budget and the limits. The first processes are as many as a run without a precision has: fewer could agree by chance when few
 * processes are unlike the others. The number is decided once, so that no result decides when to stop. Pure.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum ProcessesNeededLimit {
        PROCESSES_NEEDED_UNLIMITED,
        PROCESSES_NEEDED_BUDGET,  /* the needed processes would exceed the budget */
        PROCESSES_NEEDED_MOST,    /* more are needed than may run */
        PROCESSES_NEEDED_UNKNOWN, /* one process, or a median without a logarithm: the spread is unknown */
} ProcessesNeededLimit;

/* Facts on the first processes. */
typedef struct ProcessesNeededFacts {
        const double *medians;  /* or ratios, of a comparison */
        const uint32_t *places; /* of the module, for each median (stats/interval.h) */
        size_t n;               /* medians: a process without one does not narrow the interval */
        uint32_t n_done;        /* processes run; 1 or more */
        double precision;       /* half-width of the interval, relative */
        double sampling_ns;     /* of these processes together */
        double budget_ns;       /* for all processes */
        uint32_t most;          /* that may run; at least n_done */
} ProcessesNeededFacts;

typedef struct ProcessesNeeded {
        size_t wanted;      /* 0: unknown */
        uint32_t processes; /* in total; at least n_done */
        ProcessesNeededLimit limit;
} ProcessesNeeded;

/* Decides how many processes there are. Returns 0 or a negative errno. */
int processes_needed_decide(const ProcessesNeededFacts *facts, ProcessesNeeded *ret_needed);

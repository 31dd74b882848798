/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The number of processes that a precision needs: as many as the spread of a benchmark's first few says that the interval takes
 * (stats/interval.h), unless the budget or a limit ends before. Those are as many as a run without a precision has: fewer would agree by
 * chance where few processes are unlike the others. Decided once, so that no result decides when to stop. Pure.
 */

#include <stddef.h>
#include <stdint.h>

typedef enum ProcessesNeededLimit {
        PROCESSES_NEEDED_UNLIMITED,
        PROCESSES_NEEDED_BUDGET,  /* those that are needed would sample for longer */
        PROCESSES_NEEDED_MOST,    /* more are needed than may be run */
        PROCESSES_NEEDED_UNKNOWN, /* one process, or a median that has no logarithm: no spread to reckon with */
} ProcessesNeededLimit;

/* The first processes. */
typedef struct ProcessesNeededFacts {
        const double *medians;  /* or ratios, of a comparison */
        const uint32_t *places; /* of the module at each (stats/interval.h) */
        size_t n;               /* of these: only such processes narrow the interval */
        uint32_t n_done;        /* processes; 1 or more */
        double precision;       /* half of the interval, relative */
        double sampling_ns;     /* of these processes together */
        double budget_ns;       /* for all */
        uint32_t most;          /* that may be run; not under those done */
} ProcessesNeededFacts;

typedef struct ProcessesNeeded {
        size_t wanted;      /* 0: not known */
        uint32_t processes; /* in all; not under the first */
        ProcessesNeededLimit limit;
} ProcessesNeeded;

/* Decides how many processes there are. Returns 0 or a negative errno. */
int processes_needed_decide(const ProcessesNeededFacts *facts, ProcessesNeeded *ret_needed);

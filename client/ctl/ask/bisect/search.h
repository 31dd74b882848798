/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The search of a bisection: first the ends, until they differ, then the commit that tells most per second, until one has 99 % of the
 * posterior. A line a step goes to stderr.
 */

#include <stddef.h>
#include <stdint.h>

#include "stats/bisection.h"

typedef struct BisectMeasurer BisectMeasurer;
typedef struct BisectState BisectState;

typedef enum BisectEnd {
        BISECT_FOUND,
        BISECT_UNDECIDED,   /* nothing that can still be measured tells enough */
        BISECT_NO_CHANGE,   /* builds scatter as much as the ends differ */
        BISECT_ENDS_ALIKE,  /* the ends do not differ by as much as could be seen */
        BISECT_INTERRUPTED, /* what is known so far */
} BisectEnd;

typedef enum BisectOutcome {
        BISECT_MEASURED,
        BISECT_BROKEN,
        BISECT_TWIN, /* its machine code is that of a build that is known */
} BisectOutcome;

/* A step: a commit that was tried. */
typedef struct BisectStep {
        size_t commit;
        BisectOutcome outcome;
        size_t other; /* of a twin */
        size_t n;     /* processes of all its looks */
        double mean;  /* of the log ratios */
        double half;  /* of its interval at 95 % */
        size_t left;  /* commits that hold 99 % of the posterior */
} BisectStep;

typedef struct BisectSearch {
        BisectMeasurer *measurer;
        BisectState *state;
        Bisection bisection;
        BisectEnd end;
        BisectStep *steps; /* owned */
        size_t n_steps;
        uint64_t *codes;  /* of the machine code of each commit that was built; owned */
        size_t n_earlier; /* steps of earlier calls */
        size_t builds;    /* that were tried, without the ends */
        size_t broken;
        size_t processes;
        double build_s; /* sums of seconds */
        size_t n_timed_builds;
        double look_s;
        size_t looks;
} BisectSearch;

/* Searches until @search->end is known. Returns 0, or an exit code after printing the error; what was found is in @search in any case. */
int bisect_search(BisectMeasurer *measurer, BisectState *state, BisectSearch *search);
void bisect_search_clear(BisectSearch *search);

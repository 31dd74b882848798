/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The number of runs of commands: so many processes of so many samples each, a sample being one run. Pure.
 *
 * A run that takes 50 ms or more has a process to itself, since it is long against the start of one; of shorter ones as many as fit into
 * 50 ms share a process, at most 20. The daemon decides by the first processes how many a precision needs, within the most of them; where
 * the budget has no room for these first ones, or the number is given, it is fixed here. A comparison without a number and a precision ends
 * by itself (stats/sequence.h), at its last look within the budget.
 */

#include <stdbool.h>

#define EXEC_RUNS_MAX 20000u /* 1000 processes of 20 runs */

typedef struct ExecEffortAsked {
        unsigned runs; /* exactly; 0: not given, likewise below */
        unsigned min_runs;
        unsigned max_runs;
        unsigned processes;
        unsigned samples;
        double precision; /* in percent */
        double budget_s;
} ExecEffortAsked;

typedef struct ExecEffort {
        unsigned processes; /* the most of them with a precision, or if it ends by itself; else exactly so many */
        unsigned samples;
        bool ends_itself;
        unsigned least;   /* processes, where their number is open; 0: as many as the daemon's first ones */
        double precision; /* in percent; 0: none */
        double budget_s;  /* for the daemon, which must not take fewer runs */
} ExecEffort;

/* @run_s: the time of the longest command; 0: unknown, so a run has a process to itself, and the number is fixed. @sides: 2 in a comparison, whose processes time a run of both. */
ExecEffort exec_effort(const ExecEffortAsked *asked, double run_s, unsigned sides);

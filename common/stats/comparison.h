/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Whether one side is slower than another, and by how much, from log ratios d = ln(new / old) of processes.
 *
 * Paired, where both sides ran in each process: Student's t on the d. Independent, where each process ran one side:
 * Welch's (Biometrika 34, 1947) on the logs of the processes' medians. Standard deviations are of the sample (n - 1).
 *
 * The verdict is one of equivalence, by the interval: beyond the margin only if it lies wholly beyond, the same only if
 * it lies wholly inside. The margin is one of logs, so that exchanging the sides exchanges the verdict.
 */

#include <stdbool.h>
#include <stddef.h>

#define COMPARISON_N_MIN 3u /* on each side */

enum {
        _COMPARISON_E_SUCCESS,

        COMPARISON_E_TOO_FEW, /* under COMPARISON_N_MIN processes */
};

typedef enum ComparisonVerdict {
        COMPARISON_UNRESOLVED, /* the interval lies across an edge of the margin */
        COMPARISON_SAME,
        COMPARISON_FASTER, /* the new side */
        COMPARISON_SLOWER,
        _COMPARISON_VERDICT_N,
} ComparisonVerdict;

/* What is held against the data: fixed before the run. */
typedef struct ComparisonRule {
        double confidence; /* of the interval: 0.95 */
        double margin;     /* relative: 0.005; 0 leaves no room for "same" */
        double step;       /* of logs: as much the values cannot show, and may all be off by; no half is under it */
} ComparisonRule;

typedef struct Comparison {
        double ratio; /* new / old: the geometric mean over processes */
        double low;
        double high;
        double p_value;    /* of a ratio of 1, two-sided; whatever the margin. 1 within a step of it */
        double p_adjusted; /* over the rows of a table; that of this row alone until comparisons_adjust() */
        double detectable; /* the smallest relative difference that this interval would have shown beyond the margin */
        ComparisonVerdict verdict;
        bool taken_back; /* unresolved only because of the other rows: see comparisons_adjust() */
        double step; /* half of the interval, where it is the rule's step and the values lie nearer together; else 0 */
        size_t processes_needed; /* on each side, if mean and spread stay; PRECISION_N_MAX: as good as never */
} Comparison;

/* Compares by @n log ratios, one a process. Returns 0 or E_TOO_FEW. */
int comparison_paired(const double *log_ratios, size_t n, const ComparisonRule *rule, Comparison *ret_comparison);

/* One side: the logs of its processes' medians. */
typedef struct ComparisonSide {
        const double *logs;
        size_t n;
} ComparisonSide;

/* Compares two sides that share nothing. Returns 0 or E_TOO_FEW. */
int comparison_independent(const ComparisonSide *old, const ComparisonSide *new, const ComparisonRule *rule,
                Comparison *ret_comparison);

/*
 * Adjusts the p values of a table of @n rows (holm.h), and takes back each "faster" and "slower" that is no longer under
 * 1 - confidence: it becomes unresolved. Returns 0 or a negative errno.
 */
int comparisons_adjust(Comparison *rows, size_t n, const ComparisonRule *rule);

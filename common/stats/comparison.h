/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Comparison of two sides, which is slower and by how much, from log ratios d = ln(new / old) of processes.
 *
 * Both sides ran in each process: Student's t on the d, within the conditions that the processes were run under (interval.h).
 *
 * The verdict is one of equivalence. Beyond the margin only if the interval at the rule's confidence lies wholly beyond it:
 * two-sided, at 5 %. The same only if the interval at 90 % lies wholly inside: two one-sided tests at 5 % each (Schuirmann,
 * Journal of Pharmacokinetics and Biopharmaceutics 15, 1987), so that a pair on an edge of the margin is called the same in at most
 * 5 %; the interval at 95 % would allow only half of that and take more processes. An estimate is on one side of the edge, so no two
 * verdicts can hold. The margin is one of logs, so that exchanging the sides exchanges the verdict.
 *
 * The power of all that is told beforehand is 80 %: detectable is margin + c × standard error, where c is the distance at
 * which another run of as many processes finds what is there; for 20 processes that is the margin and 1.476 × half of the interval.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

#define COMPARISON_N_MIN 3u /* on each side */

enum {
        _COMPARISON_E_SUCCESS,

        COMPARISON_E_TOO_FEW, /* under COMPARISON_N_MIN processes on a side, or a side without an error */
};

typedef enum ComparisonVerdict {
        COMPARISON_UNRESOLVED, /* the interval lies across an edge of the margin */
        COMPARISON_SAME,
        COMPARISON_FASTER, /* the new side */
        COMPARISON_SLOWER,
        _COMPARISON_VERDICT_N,
} ComparisonVerdict;

/* "unresolved", "same", "faster" or "slower". */
const char *comparison_verdict_word(ComparisonVerdict verdict);

/* The rule that is held against the data: fixed before the run. */
typedef struct ComparisonRule {
        double confidence;      /* of the interval: 0.95 */
        double same_confidence; /* that a pair on an edge of the margin is not called the same; 0: as much as `confidence` */
        double margin;          /* relative: 0.005; 0 leaves no room for "same" */
        double step; /* of logs: as much the values cannot show, and may all be off by; no half is under it */
} ComparisonRule;

/* A difference of logs as Student's t sees it. */
typedef struct ComparisonDifference {
        double mean;
        double error; /* standard error of the mean */
        double freedom;
        size_t n; /* processes, on the smaller side */
} ComparisonDifference;

typedef struct Comparison {
        ComparisonDifference difference; /* of no processes in a row that could not be compared */
        double ratio;                    /* new / old: the geometric mean over processes */
        double low;
        double high;
        double p_value;    /* of a ratio within the margin, two-sided; 1 where the estimate is not a step beyond it */
        double p_adjusted; /* over the rows of a table; that of this row alone until comparisons_adjust() */
        ComparisonVerdict verdict;
        bool taken_back; /* unresolved only because of the other rows: see comparisons_adjust() */
        size_t n_rows;   /* that were compared in its table, itself among them */
        double step; /* half of the interval, where it is the rule's step and the values lie nearer together; else 0 */

        /* comparison_foresee() fills in: */
        double detectable; /* the smallest relative difference that four of five such runs would show beyond the margin */
        size_t processes_needed; /* on each side, for 80 % if mean and spread stay; INTERVAL_PROCESSES_MAX: as good as never */
} Comparison;

/* The comparison by @difference, however that was estimated. */
Comparison comparison_of(const ComparisonDifference *difference, const ComparisonRule *rule);

/* Compares by @n log ratios, one a process, of conditions @strata (NULL: of one). Returns 0 or E_TOO_FEW. */
int comparison_paired(const double *log_ratios, const uint32_t *strata, size_t n, const ComparisonRule *rule,
                Comparison *ret_comparison);

/*
 * Compares two sides that did not run together, each by the mean of its logs and so many processes: Welch's t. The ratio is the quotient of the
 * two times. Returns 0 or E_TOO_FEW.
 */
int comparison_independent(const IntervalLogMean *old, size_t n_old, const IntervalLogMean *new, size_t n_new,
                const ComparisonRule *rule, Comparison *ret_comparison);

/*
 * Fills in what another run would find, by the power of 80 %. By itself, since it takes a thousand times as long as the
 * comparison: about a millisecond.
 */
void comparison_foresee(Comparison *comparison, const ComparisonRule *rule);

/* The detectable difference of a run with the error of @difference, which was estimated with @seen_freedom. */
double comparison_detectable(const ComparisonDifference *difference, double seen_freedom, const ComparisonRule *rule);

/* The number of processes that comparison_foresee() fills in. */
size_t comparison_processes_needed(const Comparison *comparison, const ComparisonRule *rule);

/*
 * Adjusts the p values of a table of @n rows (Holm), those of no processes left out, and takes back each "faster" and "slower" that is no longer under
 * 1 - confidence: it becomes unresolved. So even where every row lies on an edge of its margin, a table calls one of them faster or
 * slower in at most 5 %; p of a ratio of 1 would promise that only where all ratios are 1. Returns 0 or a negative errno.
 */
int comparisons_adjust(Comparison *rows, size_t n, const ComparisonRule *rule);

/* Why a row has no verdict. */
typedef enum ComparisonDoubt {
        COMPARISON_DOUBT_NONE,         /* it has one */
        COMPARISON_DOUBT_TOO_FEW,      /* it could not be compared */
        COMPARISON_DOUBT_CHANCE,       /* a table with this many rows has one like it by chance */
        COMPARISON_DOUBT_COARSE_CLOCK, /* the clock's steps are its interval */
        COMPARISON_DOUBT_MARGIN,       /* its interval lies across an edge of the margin */
} ComparisonDoubt;

ComparisonDoubt comparison_doubt(const Comparison *comparison);

/*
 * Replaces each of @n p values of one table by its adjusted one, at most 1, so that the chance of even one false finding is what each row's would
 * be alone (Holm, Scandinavian Journal of Statistics 6, 1979). It holds however the rows depend on each other. Returns 0 or a negative errno.
 */
int comparison_holm_adjust(double *p_values, size_t n);

/*
 * How often a comparison finds what is there, when all that is known of its spread is what an earlier run saw.
 *
 * With a spread that is known, the power of Student's test is a tail of the non-central t distribution. Here the spread is
 * estimated too: with U = chi / sqrt(degrees) of either run, independent of each other, an edge that lies @near seen standard
 * errors away is cleared by E[Phi(near U_seen - t U_own)]. In polar coordinates of the two chi the radius and the normal
 * deviate make a central t, and one integral over the angle is left:
 *
 *     E[F_a(sqrt(a) (near cos(x) / sqrt(b) - t sin(x) / sqrt(c)))],  density of x ~ cos(x)^(b - 1) sin(x)^(c - 1),
 *
 * with b degrees of the run that was seen, c of the run to come, a = b + c, and F_a the distribution of Student's t. As b grows
 * it becomes the non-central t (Johnson and Welch, Biometrika 31, 1940). That one alone, with the spread taken as known,
 * promises 80 % and gives 77 % at 19 degrees and 74 % at 9.
 */

typedef struct ComparisonRun {
        double seen_freedom; /* of the standard error that is the unit of all distances here: 1 or more */
        double freedom;      /* of the run to come: 1 or more */
        double quantile;     /* of Student's t, by which that run makes half of its interval */
        double step;         /* no half is under it; in seen standard errors */
} ComparisonRun;

/*
 * How often the interval of @run clears both edges, of which the truth lies @near above one and @far below the other, in seen
 * standard errors. INFINITY: there is no other edge.
 */
double comparison_power(const ComparisonRun *run, double near, double far);

/* The distance from its one edge at which a truth is found with @power (above 0.5, below 1), in seen standard errors. */
double comparison_power_distance(const ComparisonRun *run, double power);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Modes: separate concentrations of times, such as a sort that runs at 50 or at 72 us, or processes that read exactly
 * twice the time of the others. A point and an interval across them describe neither.
 *
 * A set is split at a valley, and each part again. The null is a tail: on logs, the heaviest one-peaked tails that timing
 * has are about exponential (Pareto's on the values), and of an exponential the spacings in rising order, each times the
 * number of values beyond it, are independent with one mean (Renyi, Acta Mathematica Hungarica 4, 1953). So the spacings
 * across the valley over those of the part before it are Fisher's F, and less for every log-concave shape: normal,
 * uniform, gamma. A split needs all of
 *
 *   - F from the larger part, times the number of valleys tried, at most MODES_P_MAX;
 *   - F from the smaller part, where it has 3 values, times its spacings, at most MODES_P_OTHER_MAX: a few stragglers
 *     that lie scattered are no mode;
 *   - in the valley at most a quarter of the density of the middle half of each part;
 *   - medians at least MODES_DISTANCE_MIN apart, and in each part MODES_WEIGHT_MIN of all values.
 *
 * A valley may hold some values (up to a twentieth), as where a batch saw both modes. Over MODES_POINTS_MAX values as many
 * quantiles stand for them. Equal values are spread over the step between readings, so that a coarse clock makes no modes.
 *
 * False positives (tests/bench/statistics --seed=20260: 10 000 draws each of lognormal, exponential, Pareto and quantized
 * noise): at most 0.26 % at 10 values by the rule for processes, 0.03 % at 50 by that for samples. Noise of which a tenth
 * lies scattered up to twice as high is the worst found: 7 % by the rule for samples; by that for processes 48 %, but
 * there a process far off is what should be named. Both modes of a sort at 50 (60 %) or 72 us, 2 % each: 100 % at 50
 * values, 61 % at 10.
 *
 * Not for samples pooled over processes, whose own levels would be the modes: for one process's samples, or for the
 * medians of processes.
 */

#include <stddef.h>

#define MODES_MAX          4u
#define MODES_N_MIN        3u /* fewer values are always one mode */
#define MODES_POINTS_MAX   400u
#define MODES_WEIGHT_MIN   0.05
#define MODES_DISTANCE_MIN 0.01 /* relative */
#define MODES_P_MAX        0.01
#define MODES_P_OTHER_MAX  0.05

enum {
        _MODES_E_SUCCESS,

        MODES_E_EMPTY,
        MODES_E_NOT_POSITIVE, /* a value that has no logarithm */
};

typedef struct Mode {
        double center; /* median of its values */
        double weight; /* share of all values; those of all modes come to 1 */
} Mode;

typedef struct Modes {
        Mode modes[MODES_MAX]; /* in rising order */
        size_t n;              /* 1: nothing to say */
} Modes;

typedef struct ModesRule {
        double resolution; /* the step of the values where the caller knows it; 0: judged from them, up to 2 % */
        size_t n_min;      /* values that a mode has at least: 1 for medians of processes, 3 for samples */
} ModesRule;

extern const ModesRule modes_of_processes;
extern const ModesRule modes_of_samples;

/* The modes of @n finite values in rising order. Returns 0, E_EMPTY, E_NOT_POSITIVE. */
int modes_find(const double *sorted, size_t n, const ModesRule *rule, Modes *ret_modes);

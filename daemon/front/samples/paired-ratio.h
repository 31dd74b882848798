/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Paired ratio: how much longer the new side takes than the old one, from a process in which both alternate.
 *
 * A turn is one batch of each side, with equal iterations, so that changes of the core affect both; the process's value is the median of
 * ln(new / old) over its turns. A turn is as quiet as the worse of its batches; turns are selected as quantity.h selects samples. Pure.
 */

#include <stddef.h>

#include "ops/block.h"

enum {
        _PAIRED_RATIO_E_SUCCESS,

        PAIRED_RATIO_E_NONE, /* no turn in which both sides took any time */
};

typedef struct PairedRatio {
        double quiet;         /* the log, over quiet turns; NaN: too few */
        double all;           /* the log, over all turns */
        double step;          /* of the clock, relative to both batches of a turn: the resolution of the log */
        uint32_t n_not_quiet; /* turns */
        uint32_t n_company;   /* turns beside which another hardware thread used the core */
} PairedRatio;

/*
 * Computes the ratio of the process that wrote both blocks, checked and complete, on the CPU with @clock. Returns 0, E_NONE, or a negative
 * errno.
 */
int paired_ratio_of(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, PairedRatio *ret_ratio);

/* The log ratios of several processes, one each. */
typedef struct PairedRatios {
        double *logs;
        uint32_t *places; /* of both modules, under INTERVAL_STRATA_MAX: one number for each pair of places */
        uint32_t *rounds;
        size_t n;
} PairedRatios;

void paired_ratios_clear(PairedRatios *ratios);

/* Adds the @log_ratio of the process of @round that wrote both @blocks. Returns 0 or a negative errno. */
int paired_ratios_add(PairedRatios *ratios, double log_ratio, const SampleBlock *blocks, uint32_t round);

/*
 * The mean of each round of @ratios, as if each had all places as often: from each ratio the mean at its place is taken, and the mean of all
 * places added. Places are those of no round then. The caller clears @ret_means. Returns 0 or a negative errno.
 */
int paired_ratios_by_round(const PairedRatios *ratios, PairedRatios *ret_means);

/*
 * The step in bytes by which the modules were moved, the larger of the two: 16, or 32 for a module with that alignment;
 * RUNNER_IMAGE_OFFSET_MAX if one was not moved.
 */
uint32_t paired_ratios_step_bytes(const PairedRatios *ratios);

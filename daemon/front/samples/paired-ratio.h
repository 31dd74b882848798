/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Paired ratio: how much longer the new side takes than the old one beside it, by a process in which the two took turns.
 *
 * A turn is one batch of each, with equal iterations, so that what the core did meanwhile did it to both; the process's
 * value is the median over its turns of ln(new / old). A turn is as quiet as the worse of its batches; which turns count is what
 * quantity.h says of samples. Pure.
 */

#include <stddef.h>

#include "ops/block.h"

enum {
        _PAIRED_RATIO_E_SUCCESS,

        PAIRED_RATIO_E_NONE, /* there is no turn in which both sides took any time */
};

typedef struct PairedRatio {
        double quiet;         /* the log, of quiet turns; NaN: too few are */
        double all;           /* ... of all */
        double step;          /* of the clock, in both batches of a turn, relative: the log is no finer */
        uint32_t n_not_quiet; /* turns */
        uint32_t n_company;   /* ... beside which another hardware thread used the core */
} PairedRatio;

/*
 * The ratio of the process that wrote both blocks, checked and complete, on the CPU with @clock. Returns 0, E_NONE, or a
 * negative errno.
 */
int paired_ratio_of(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, PairedRatio *ret_ratio);

/* The log ratios of several processes, one each. */
typedef struct PairedRatios {
        double *logs;
        uint32_t *places; /* of both modules then, under INTERVAL_STRATA_MAX: a number for each two places */
        size_t n;
} PairedRatios;

void paired_ratios_clear(PairedRatios *ratios);

/* Adds the @log_ratio of the process that wrote both @blocks. Returns 0 or a negative errno. */
int paired_ratios_add(PairedRatios *ratios, double log_ratio, const SampleBlock *blocks);

/*
 * The step by which the modules were moved, in bytes, the larger one of the two: 16, or 32 of one that is aligned to that. RUNNER_IMAGE_OFFSET_MAX
 * where one stayed.
 */
uint32_t paired_ratios_step_bytes(const PairedRatios *ratios);

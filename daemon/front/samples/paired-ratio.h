/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What one process tells of two sides that took turns: how much longer the new one takes than the old one beside it.
 *
 * A turn is one batch of each, with equal iterations, so that what the core did meanwhile did it to both; the process's
 * value is the median over its turns of ln(new / old). A turn is as quiet as the worse of its batches; which turns count is what
 * quantity.h says of samples. Pure.
 */

#include "ops/sample-block.h"

enum {
        _PAIRED_RATIO_E_SUCCESS,

        PAIRED_RATIO_E_NONE, /* no turn of which both sides took any time */
};

typedef struct PairedRatio {
        double quiet;         /* the log, of quiet turns; NaN: too few are */
        double all;           /* ... of all */
        double step;          /* of the clock, in both batches of a turn: as much of the log it cannot tell */
        uint32_t n_not_quiet; /* turns */
        uint32_t n_company;   /* ... beside which another hardware thread used the core */
} PairedRatio;

/*
 * The ratio of the process that wrote both blocks, checked and complete, on the CPU with @clock. Returns 0, E_NONE, or a
 * negative errno.
 */
int paired_ratio(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, PairedRatio *ret_ratio);

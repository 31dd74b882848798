/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What one process tells of two sides that took turns: how much longer the new one takes than the old one beside it.
 *
 * A turn is one batch of each, with equal iterations, so that what the core did meanwhile did it to both; the process's
 * value is the median over its turns of ln(new / old), by undisturbed turns where quantity.h would take undisturbed
 * samples. Pure.
 */

#include "ops/sample-block.h"

enum {
        _TURNS_E_SUCCESS,

        TURNS_E_NONE, /* no turn of which both sides took any time */
};

typedef struct TurnsRatio {
        double log;
        double step; /* of the clock, in both batches of a turn: as much of the log it cannot tell */
} TurnsRatio;

/*
 * The ratio of the process that wrote both blocks, checked and complete, on the CPU with @clock. Returns 0, E_NONE, or a
 * negative errno.
 */
int turns_ratio(const SampleBlock *new, const SampleBlock *old, const ClockFacts *clock, TurnsRatio *ret_ratio);

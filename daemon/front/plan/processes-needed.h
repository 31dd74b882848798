/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * How many processes a benchmark gets where a precision was asked for: as many as the spread of its first few says that the
 * interval takes (stats/precision.h), unless the budget or a limit ends before. Decided once, so that no result decides when
 * to stop. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#define ENOUGH_FIRST 5u /* processes to learn the spread from (measurement.md 4) */

typedef enum EnoughLimit {
        ENOUGH_UNLIMITED,
        ENOUGH_BUDGET,  /* what is needed samples for longer */
        ENOUGH_MOST,    /* more than may be run */
        ENOUGH_UNKNOWN, /* one process, or a median that has no logarithm: no spread to reckon with */
} EnoughLimit;

/* What the first processes showed. */
typedef struct EnoughFacts {
        const double *medians; /* or ratios, of a comparison */
        size_t n;              /* of these */
        uint32_t n_done;       /* processes; 1 or more */
        double precision;      /* half of the interval, relative */
        double sampling_ns;    /* of these processes together */
        double budget_ns;      /* for all */
        uint32_t most;         /* that may be run; not under those done */
} EnoughFacts;

typedef struct Enough {
        size_t needed;      /* 0: not known */
        uint32_t processes; /* in all; not under the first */
        EnoughLimit limit;
} Enough;

/* Decides. Returns 0 or a negative errno. */
int enough_decide(const EnoughFacts *facts, Enough *ret_enough);

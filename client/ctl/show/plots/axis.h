/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Axis of a picture: maps values to places, and chooses round values for ticks. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/unit.h"

#define AXIS_TICKS_MAX 24u

typedef enum AxisKind {
        AXIS_NONE,
        AXIS_TIMES,
        AXIS_LOG_TIMES, /* logarithmic, as the next two */
        AXIS_LOG_NUMBERS,
        AXIS_RATIOS, /* around 1 */
        AXIS_DATES,  /* seconds since 1970 */
        AXIS_ORDER,  /* things in order, each from its index to the next */
} AxisKind;

typedef struct Axis {
        AxisKind kind;
        double low, high;           /* the values at its ends */
        double from, to;            /* the places of its ends, in the backend's unit */
        const AmountTimeUnit *unit; /* of times; NULL: the best one */
        bool each_unit;             /* every tick of times shows the unit, not only the last */
} Axis;

typedef struct AxisTick {
        double value;
        char text[UNIT_TEXT_MAX];
} AxisTick;

typedef struct AxisTicks {
        AxisTick ticks[AXIS_TICKS_MAX];
        size_t n;
} AxisTicks;

/* An axis over the values from @low to @high, widened if they are equal. The backend sets its places. */
Axis axis_new(AxisKind kind, double low, double high);

/* True if the axis is logarithmic, and so has only values above 0. */
bool axis_is_log(const Axis *axis);

/* Widens it by @share of its length at both ends. */
void axis_widen(Axis *axis, double share);

/* The place of @value, possibly beyond the ends of the axis. */
double axis_place(const Axis *axis, double value);

/* The value at @place. */
double axis_value(const Axis *axis, double place);

/*
 * Makes ticks at least @gap places apart: at round times, ratios or numbers, or at every n-th thing of an order, numbered from 1. An axis
 * without a length gets none.
 */
void axis_ticks(const Axis *axis, double gap, AxisTicks *ret_ticks);

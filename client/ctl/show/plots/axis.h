/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Axis of a picture: from values to places, and the round values that its ticks stand at. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/base/unit.h"

#define AXIS_TICKS_MAX 24u

typedef enum AxisKind {
        AXIS_NONE,
        AXIS_TIMES,
        AXIS_LOG_TIMES, /* whose ratios count, as those of the next two */
        AXIS_LOG_NUMBERS,
        AXIS_RATIOS, /* around 1 */
        AXIS_ORDER,  /* things one after the other, each from its index to the next */
} AxisKind;

typedef struct Axis {
        AxisKind kind;
        double low, high;           /* the values at its ends */
        double from, to;            /* the places of its ends, as a backend counts them */
        const AmountTimeUnit *unit; /* of times; NULL: the one that suits them */
        bool each_unit;             /* each tick of times has the unit, not only the last */
} Axis;

typedef struct AxisTick {
        double value;
        char text[UNIT_TEXT_MAX];
} AxisTick;

typedef struct AxisTicks {
        AxisTick ticks[AXIS_TICKS_MAX];
        size_t n;
} AxisTicks;

/* An axis over the values from @low to @high, which is made wider where they are equal. Its places are a backend's to set. */
Axis axis_new(AxisKind kind, double low, double high);

/* True if its ratios count, so that it has no values but those above 0. */
bool axis_is_log(const Axis *axis);

/* Widens it by @share of its length at both ends. */
void axis_widen(Axis *axis, double share);

/* The place of @value; beyond the ends of the axis too. */
double axis_place(const Axis *axis, double value);

/* The value at @place. */
double axis_value(const Axis *axis, double place);

/*
 * Ticks that are at least @gap places apart: at round times, ratios or numbers, or at every so many things of an order, whose texts are
 * their numbers from 1. None of an axis without a length.
 */
void axis_ticks(const Axis *axis, double gap, AxisTicks *ret_ticks);

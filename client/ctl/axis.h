/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Axis of a picture: from values to places, and the round values that its ticks stand at. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/unit.h"

#define AXIS_TICKS_MAX 24u

typedef struct Axis {
        double low;
        double high;
        bool is_log;
        size_t n_places;      /* that low and high are the first and last of; 2 or more */
        const TimeUnit *unit; /* of times; NULL: the one that suits them */
} Axis;

typedef struct AxisTick {
        double value;
        char text[UNIT_TEXT_MAX];
} AxisTick;

typedef struct AxisTicks {
        AxisTick ticks[AXIS_TICKS_MAX];
        size_t n;
} AxisTicks;

/* An axis over the values from @low to @high, which is made wider where they are equal. */
Axis axis_linear(double low, double high, size_t n_places);

/* ... of values above 0 whose ratios count. */
Axis axis_log(double low, double high, size_t n_places);

/* The place of @value, from 0; beyond the ends of the axis too. */
long axis_place(const Axis *axis, double value);

/* The value in the middle of @place. */
double axis_value(const Axis *axis, double place);

/* Ticks at round times, at least @gap places apart; the last has the unit of all. */
void axis_tick_times(const Axis *axis, size_t gap, AxisTicks *ret_ticks);

/* ... each with a unit of its own, of a logarithmic axis. */
void axis_tick_log_times(const Axis *axis, size_t gap, AxisTicks *ret_ticks);

/* ... at round numbers of a logarithmic axis: whole ones with commas, others with the decimals that they need. */
void axis_tick_log_numbers(const Axis *axis, size_t gap, AxisTicks *ret_ticks);

/* ... at round ratios around 1, which is among them where the axis has it. */
void axis_tick_ratios(const Axis *axis, size_t gap, AxisTicks *ret_ticks);

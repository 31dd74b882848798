/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Dates on an axis, in seconds since 1970: ticks at round times of the clock or the calendar of the user's time zone. A text has the date
 * only where it is not that of the tick before.
 */

typedef struct Axis Axis;
typedef struct AxisTicks AxisTicks;

/* Makes the ticks of @axis, an AXIS_DATES, at least @gap places apart; as axis_ticks(). */
void dates_ticks(const Axis *axis, double gap, AxisTicks *ticks);

/* The smallest round step that is @least_s or more, in seconds; of a month it is 30 days, of a year 365. */
double dates_step_s(double least_s);

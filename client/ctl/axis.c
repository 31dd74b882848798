/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/cleanup.h"

#define AXIS_WIDER 0.005 /* of a value that is the only one, to either side */

/* Steps of a decade. */
static const double round_steps[] = { 1, 2, 5 };

Axis axis_linear(double low, double high, size_t n_places) {
        const double half = low == 0 ? 1 : fabs(low) * AXIS_WIDER;
        const bool is_point = !(high > low);

        return (Axis){
                .low = is_point ? low - half : low,
                .high = is_point ? low + half : high,
                .n_places = n_places < 2 ? 2 : n_places,
        };
}

Axis axis_log(double low, double high, size_t n_places) {
        Axis axis = axis_linear(low, high, n_places);

        axis.is_log = true;
        return axis;
}

static double scale_of(const Axis *axis, double value) {
        return axis->is_log ? log(value) : value;
}

/* Places from the first, as a real number. */
static double place_of(const Axis *axis, double value) {
        const double low = scale_of(axis, axis->low), high = scale_of(axis, axis->high);

        return (scale_of(axis, value) - low) / (high - low) * (double)(axis->n_places - 1);
}

long axis_place(const Axis *axis, double value) {
        const double place = place_of(axis, value);

        if (!(place > -1e6))
                return -1000000;
        return lround(fmin(place, 1e6));
}

double axis_value(const Axis *axis, double place) {
        const double low = scale_of(axis, axis->low), high = scale_of(axis, axis->high);
        const double value = low + (high - low) * place / (double)(axis->n_places - 1);

        return axis->is_log ? exp(value) : value;
}

/* ---- ticks */

static void ticks_add(AxisTicks *ticks, double value) {
        if (ticks->n < AXIS_TICKS_MAX)
                ticks->ticks[ticks->n++] = (AxisTick){ .value = value };
}

/* The smallest round step that is @least or more. */
static double round_step(double least) {
        const double decade = pow(10, floor(log10(least)));

        for (size_t i = 0; i < N_ELEMENTS(round_steps); i++)
                if (round_steps[i] * decade >= least * (1 - 1e-9))
                        return round_steps[i] * decade;
        return 10 * decade;
}

static void ticks_add_multiples(AxisTicks *ticks, const Axis *axis, double step) {
        const double first = ceil(axis->low / step - 1e-9), last = floor(axis->high / step + 1e-9);

        for (double i = first; i <= last && ticks->n < AXIS_TICKS_MAX; i++)
                ticks_add(ticks, i * step + 0.0); /* no -0 */
}

/* The least distance between two values of @axis that are @gap places apart, of an axis that is not logarithmic. */
static double least_step(const Axis *axis, size_t gap) {
        return (axis->high - axis->low) / (double)(axis->n_places - 1) * (double)gap;
}

static int decimals_for(double step) {
        return step < 1 ? (int)-floor(log10(step) + 1e-9) : 0;
}

void axis_tick_times(const Axis *axis, size_t gap, AxisTicks *ret_ticks) {
        const char *unit;
        const double size = unit_time_size(axis->unit, fmax(fabs(axis->low), fabs(axis->high)), &unit);
        const double step = round_step(least_step(axis, gap) / size);
        const Axis scaled = { .low = axis->low / size, .high = axis->high / size, .n_places = axis->n_places };

        ret_ticks->n = 0;
        ticks_add_multiples(ret_ticks, &scaled, step);
        for (size_t i = 0; i < ret_ticks->n; i++) {
                AxisTick *tick = &ret_ticks->ticks[i];
                const bool last = i + 1 == ret_ticks->n;

                snprintf(tick->text, sizeof tick->text, "%.*f%s%s", decimals_for(step), tick->value, last ? " " : "",
                                last ? unit : "");
                tick->value *= size;
        }
}

/* Powers of ten, and of those as many round parts as are @gap places apart. */
static void ticks_add_decades(AxisTicks *ticks, const Axis *axis, size_t gap) {
        const double per_decade = place_of(axis, 10 * axis->low), n_gaps = per_decade / (double)gap;
        const size_t n_parts = n_gaps >= 2.5 ? 3 : 1; /* 1 and 2 are 0.3 of a decade apart: three quarters of a gap */
        const double every = n_gaps >= 1 ? 1 : ceil(1 / n_gaps);

        for (double decade = floor(log10(axis->low)); decade <= log10(axis->high) + 1; decade++) {
                if (fmod(decade, every) != 0)
                        continue;
                for (size_t i = 0; i < n_parts; i++) {
                        const double value = round_steps[i] * pow(10, decade);

                        if (value >= axis->low * (1 - 1e-9) && value <= axis->high * (1 + 1e-9))
                                ticks_add(ticks, value);
                }
        }
}

void axis_tick_log_times(const Axis *axis, size_t gap, AxisTicks *ret_ticks) {
        ret_ticks->n = 0;
        ticks_add_decades(ret_ticks, axis, gap);
        for (size_t i = 0; i < ret_ticks->n; i++) {
                AxisTick *tick = &ret_ticks->ticks[i];
                const char *unit;
                const double size = unit_time_size(axis->unit, tick->value, &unit);

                snprintf(tick->text, sizeof tick->text, "%.10g %s", tick->value / size, unit);
        }
}

void axis_tick_log_numbers(const Axis *axis, size_t gap, AxisTicks *ret_ticks) {
        ret_ticks->n = 0;
        ticks_add_decades(ret_ticks, axis, gap);
        for (size_t i = 0; i < ret_ticks->n; i++) {
                AxisTick *tick = &ret_ticks->ticks[i];

                if (tick->value < 1)
                        snprintf(tick->text, sizeof tick->text, "%.10g", tick->value);
                else
                        unit_count(tick->value, tick->text);
        }
}

/* Near 1 a logarithmic axis is nearly linear, so steps of equal size do; over wider ranges ratios of 1, 2 and 5 stand. */
void axis_tick_ratios(const Axis *axis, size_t gap, AxisTicks *ret_ticks) {
        const bool wide = axis->high > 4 * axis->low;
        const double step = round_step(least_step(axis, gap) * (wide ? 1 : axis->high / sqrt(axis->low * axis->high)));

        ret_ticks->n = 0;
        if (wide)
                ticks_add_decades(ret_ticks, axis, gap);
        else
                ticks_add_multiples(ret_ticks, axis, step);
        for (size_t i = 0; i < ret_ticks->n; i++) {
                AxisTick *tick = &ret_ticks->ticks[i];

                if (wide)
                        snprintf(tick->text, sizeof tick->text, "%.10g", tick->value);
                else
                        snprintf(tick->text, sizeof tick->text, "%.*f", decimals_for(step), tick->value);
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show/plots/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ctl/show/plots/dates.h"

#include "util/cleanup.h"

#define AXIS_WIDER      0.005 /* of a value that is the only one, to either side */
#define AXIS_HALF_DAY_S 43200 /* beside a date that is the only one */

/* Steps of a decade. */
static const double round_steps[] = { 1, 2, 5 };

bool axis_is_log(const Axis *axis) {
        return axis->kind == AXIS_LOG_TIMES || axis->kind == AXIS_LOG_NUMBERS || axis->kind == AXIS_RATIOS;
}

Axis axis_new(AxisKind kind, double low, double high) {
        const double half = kind == AXIS_DATES ? AXIS_HALF_DAY_S : low == 0 ? 1 : fabs(low) * AXIS_WIDER;
        const bool is_point = !(high > low);

        return (Axis){ .kind = kind, .low = is_point ? low - half : low, .high = is_point ? low + half : high };
}

/* ---- places */

static double value_of(const Axis *axis, double scaled) {
        return axis_is_log(axis) ? exp(scaled) : scaled;
}

static double scale_of(const Axis *axis, double value) {
        return axis_is_log(axis) ? log(value) : value;
}

void axis_widen(Axis *axis, double share) {
        const double low = scale_of(axis, axis->low), high = scale_of(axis, axis->high);

        axis->low = value_of(axis, low - share * (high - low));
        axis->high = value_of(axis, high + share * (high - low));
}

double axis_place(const Axis *axis, double value) {
        const double low = scale_of(axis, axis->low), high = scale_of(axis, axis->high);
        const double place = axis->from + (scale_of(axis, value) - low) / (high - low) * (axis->to - axis->from);

        return isnan(place) ? place : fmin(fmax(place, -1e6), 1e6);
}

double axis_value(const Axis *axis, double place) {
        const double low = scale_of(axis, axis->low), high = scale_of(axis, axis->high);
        const double value = low + (high - low) * (place - axis->from) / (axis->to - axis->from);

        return value_of(axis, value);
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
static double least_step(const Axis *axis, double gap) {
        return (axis->high - axis->low) / fabs(axis->to - axis->from) * gap;
}

static int decimals_for(double step) {
        return step < 1 ? (int)-floor(log10(step) + 1e-9) : 0;
}

static void tick_times(const Axis *axis, double gap, AxisTicks *ticks) {
        const char *unit;
        const double size = unit_time_size(axis->unit, fmax(fabs(axis->low), fabs(axis->high)), &unit);
        const double step = round_step(least_step(axis, gap) / size);

        ticks_add_multiples(ticks, &(Axis){ .low = axis->low / size, .high = axis->high / size }, step);
        for (size_t i = 0; i < ticks->n; i++) {
                AxisTick *tick = &ticks->ticks[i];
                const bool with_unit = axis->each_unit || i + 1 == ticks->n;

                snprintf(tick->text, sizeof tick->text, "%.*f%s%s", decimals_for(step), tick->value,
                                with_unit ? " " : "", with_unit ? unit : "");
                tick->value *= size;
        }
}

/* Powers of ten, and as many round fractions of them as are @gap places apart. */
static void ticks_add_decades(AxisTicks *ticks, const Axis *axis, double gap) {
        const double per_decade = fabs(axis_place(axis, 10 * axis->low) - axis->from), n_gaps = per_decade / gap;
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

static void tick_log_times(const Axis *axis, double gap, AxisTicks *ticks) {
        ticks_add_decades(ticks, axis, gap);
        for (size_t i = 0; i < ticks->n; i++) {
                AxisTick *tick = &ticks->ticks[i];
                const char *unit;
                const double size = unit_time_size(axis->unit, tick->value, &unit);

                snprintf(tick->text, sizeof tick->text, "%.10g %s", tick->value / size, unit);
        }
}

static void tick_log_numbers(const Axis *axis, double gap, AxisTicks *ticks) {
        ticks_add_decades(ticks, axis, gap);
        for (size_t i = 0; i < ticks->n; i++) {
                AxisTick *tick = &ticks->ticks[i];

                if (tick->value < 1)
                        snprintf(tick->text, sizeof tick->text, "%.10g", tick->value);
                else
                        unit_count(tick->value, tick->text);
        }
}

/* Near 1 a logarithmic axis is nearly linear, so equal steps will do; wider ranges use ratios of 1, 2 and 5. */
static void tick_ratios(const Axis *axis, double gap, AxisTicks *ticks) {
        const bool wide = axis->high > 4 * axis->low;
        const double step = round_step(least_step(axis, gap) * (wide ? 1 : axis->high / sqrt(axis->low * axis->high)));

        if (wide)
                ticks_add_decades(ticks, axis, gap);
        else
                ticks_add_multiples(ticks, axis, step);
        for (size_t i = 0; i < ticks->n; i++) {
                AxisTick *tick = &ticks->ticks[i];

                if (wide)
                        snprintf(tick->text, sizeof tick->text, "%.10g", tick->value);
                else
                        snprintf(tick->text, sizeof tick->text, "%.*f", decimals_for(step), tick->value);
        }
}

/* The first, and every second, fifth or tenth. */
static void tick_order(const Axis *axis, double gap, AxisTicks *ticks) {
        const double every = fmax(round_step(least_step(axis, gap)), 1);

        ticks_add(ticks, axis->low);
        for (double i = every; i <= axis->high && ticks->n < AXIS_TICKS_MAX; i += every)
                if (i > 1)
                        ticks_add(ticks, i - 1);
        for (size_t i = 0; i < ticks->n; i++)
                snprintf(ticks->ticks[i].text, sizeof ticks->ticks[i].text, "%.0f", ticks->ticks[i].value + 1);
}

void axis_ticks(const Axis *axis, double gap, AxisTicks *ret_ticks) {
        static void (*const kinds[])(const Axis *axis, double gap, AxisTicks *ticks) = {
                [AXIS_TIMES] = tick_times,
                [AXIS_LOG_TIMES] = tick_log_times,
                [AXIS_LOG_NUMBERS] = tick_log_numbers,
                [AXIS_RATIOS] = tick_ratios,
                [AXIS_DATES] = dates_ticks,
                [AXIS_ORDER] = tick_order,
        };

        ret_ticks->n = 0;
        if (axis->kind != AXIS_NONE && fabs(axis->to - axis->from) >= 1 && axis->high > axis->low &&
                        isfinite(axis->high - axis->low) && (!axis_is_log(axis) || axis->low > 0))
                kinds[axis->kind](axis, gap, ret_ticks);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/arguments.h"

#include <string.h>

/* The next value of a range after @value, which is below the last. */
static int64_t range_next(const ListingAxis *axis, int64_t value) {
        if (axis->factor > 0)
                return value > axis->last / axis->factor ? axis->last : value * axis->factor;
        return (uint64_t)axis->last - (uint64_t)value > (uint64_t)axis->step ? value + axis->step : axis->last;
}

size_t arguments_axis_count(const ListingAxis *axis) {
        size_t n = 1;

        if (axis->n_values > 0)
                return axis->n_values;
        for (int64_t value = axis->first; value < axis->last; value = range_next(axis, value))
                n++;
        return n;
}

/* Value @index of a range with a step; the last value if @index is beyond the end. */
static int64_t steps_value(const ListingAxis *axis, size_t index) {
        const uint64_t width = (uint64_t)axis->last - (uint64_t)axis->first;

        if (index > 0 && (uint64_t)axis->step > width / index)
                return axis->last;
        return (int64_t)((uint64_t)axis->first + index * (uint64_t)axis->step);
}

ArgumentValue arguments_axis_value(const ListingAxis *axis, size_t index) {
        int64_t value = axis->first;

        if (axis->n_values > 0)
                return listing_axis_value(axis, index);
        if (axis->factor == 0)
                return argument_integer(steps_value(axis, index));
        while (index-- > 0)
                value = range_next(axis, value);
        return argument_integer(value);
}

static bool range_has(const ListingAxis *axis, int64_t value) {
        int64_t own = axis->first;

        if (value < axis->first || value >= axis->last)
                return value == axis->last;
        if (axis->factor == 0)
                return ((uint64_t)value - (uint64_t)axis->first) % (uint64_t)axis->step == 0;
        while (own < value)
                own = range_next(axis, own);
        return own == value;
}

bool arguments_axis_has(const ListingAxis *axis, const ArgumentValue *value) {
        if (axis->n_values == 0) {
                const ArgumentValue integer = argument_integer(value->integer);

                return memcmp(&integer, value, sizeof integer) == 0 && range_has(axis, value->integer);
        }
        for (size_t i = 0; i < axis->n_values; i++) {
                const ArgumentValue own = arguments_axis_value(axis, i);

                if (memcmp(&own, value, sizeof own) == 0)
                        return true;
        }
        return false;
}

void arguments_init(Arguments *arguments, const ListingEntry *entry) {
        *arguments = (Arguments){ .entry = entry };
        for (size_t i = 0; i < entry->n_axes; i++)
                arguments->n_values[i] = arguments_axis_count(&entry->axes[i]);
}

size_t arguments_count(const Arguments *arguments) {
        size_t n = 1;

        for (size_t i = 0; i < arguments->entry->n_axes; i++)
                n *= arguments->n_values[i];
        return n;
}

void arguments_seek(Arguments *arguments, size_t index) {
        for (size_t i = arguments->entry->n_axes; i-- > 0; index /= arguments->n_values[i])
                arguments->at[i] = index % arguments->n_values[i];
}

size_t arguments_index(const Arguments *arguments) {
        size_t index = 0;

        for (size_t i = 0; i < arguments->entry->n_axes; i++)
                index = index * arguments->n_values[i] + arguments->at[i];
        return index;
}

void arguments_get(const Arguments *arguments, ArgumentValue ret_args[static RUNNER_ARGS_MAX]) {
        memset(ret_args, 0, RUNNER_ARGS_MAX * sizeof *ret_args);
        for (size_t i = 0; i < arguments->entry->n_axes; i++)
                ret_args[i] = arguments_axis_value(&arguments->entry->axes[i], arguments->at[i]);
}

bool arguments_step(Arguments *arguments) {
        for (size_t i = arguments->entry->n_axes; i-- > 0;) {
                if (++arguments->at[i] < arguments->n_values[i])
                        return true;
                arguments->at[i] = 0;
        }
        return false;
}

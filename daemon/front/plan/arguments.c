/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/plan/arguments.h"

#include <string.h>

size_t arguments_axis_values(const ListingAxis *axis, int64_t ret_values[static ARGUMENTS_AXIS_VALUES_MAX]) {
        size_t n = 0;

        if (axis->n_values > 0) {
                memcpy(ret_values, axis->values, axis->n_values * sizeof *ret_values);
                return axis->n_values;
        }
        for (int64_t value = axis->first; value < axis->last; value *= axis->factor) {
                ret_values[n++] = value;
                if (value > axis->last / axis->factor)
                        break;
        }
        ret_values[n++] = axis->last;
        return n;
}

void arguments_init(Arguments *arguments, const ListingEntry *entry) {
        *arguments = (Arguments){ .n_axes = entry->n_axes };
        for (size_t i = 0; i < entry->n_axes; i++)
                arguments->n_values[i] = arguments_axis_values(&entry->axes[i], arguments->values[i]);
}

size_t arguments_count(const Arguments *arguments) {
        size_t n = 1;

        for (size_t i = 0; i < arguments->n_axes; i++)
                n *= arguments->n_values[i];
        return n;
}

void arguments_get(const Arguments *arguments, int64_t ret_args[static RUNNER_ARGS_MAX]) {
        memset(ret_args, 0, RUNNER_ARGS_MAX * sizeof *ret_args);
        for (size_t i = 0; i < arguments->n_axes; i++)
                ret_args[i] = arguments->values[i][arguments->at[i]];
}

bool arguments_step(Arguments *arguments) {
        for (size_t i = arguments->n_axes; i-- > 0;) {
                if (++arguments->at[i] < arguments->n_values[i])
                        return true;
                arguments->at[i] = 0;
        }
        return false;
}

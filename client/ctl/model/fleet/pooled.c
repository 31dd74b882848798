/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet/pooled.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

void pooled_clear(Pooled *pooled) {
        free(pooled->entries);
        *pooled = (Pooled){};
}

/* ---- numbers */

/* Times beside a busy neighbour are another measurand: they are left out where a machine has the time alone. */
static void leave_out_shared(Pooled *pooled) {
        size_t n = 0, n_alone = 0;

        for (size_t i = 0; i < pooled->n; i++)
                n_alone += !row_is_shared(pooled->entries[i].row);
        for (size_t i = 0; i < pooled->n && n_alone > 0; i++)
                if (!row_is_shared(pooled->entries[i].row))
                        pooled->entries[n++] = pooled->entries[i];
        pooled->n = n_alone > 0 ? n : pooled->n;
}

static int take_entries(const FleetMembers *members, const FleetRow *row, RowNumberRead read, Pooled *pooled) {
        pooled->entries = calloc(members->n + 1, sizeof *pooled->entries);
        if (!pooled->entries)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < members->n; i++) {
                PooledEntry entry = { .member = &members->members[i], .row = row->rows[i] };

                if (entry.row && read(entry.member->result, entry.row, &entry.number))
                        pooled->entries[pooled->n++] = entry;
        }
        leave_out_shared(pooled);
        return 0;
}

bool fleet_policy_is_strict(const FleetPolicy *policy, const FleetMembers *members, size_t class_index) {
        return policy->named || members->n_unknown > 0 || members->classes[class_index].n_left_out > 0;
}

static PooledOver over_of(size_t n, bool strict, const FleetPolicy *policy) {
        if (n == 0 || policy->none || (strict && n < policy->min_machines))
                return POOLED_NONE;
        return n < MACHINES_N_MIN ? POOLED_THESE : POOLED_MACHINES;
}

/* The root mean square of the numbers at @offset, over the machines that have one. */
static double mean_deviation(const Pooled *pooled, size_t offset) {
        double sum = 0;
        size_t n = 0;

        for (size_t i = 0; i < pooled->n; i++) {
                double deviation = *(const double *)((const char *)&pooled->entries[i].number + offset);

                sum += isfinite(deviation) ? deviation * deviation : 0;
                n += isfinite(deviation);
        }
        return n > 0 ? sqrt(sum / n) : NAN;
}

/* @logs are of all entries. */
static void be_several(Pooled *pooled, const IntervalLogMean *logs) {
        int r;

        if (pooled->over == POOLED_THESE)
                pooled->mean = machines_mean_of_these(logs, pooled->n);
        else
                machines_mean(logs, pooled->n, &pooled->mean);
        pooled->interval = machines_interval(&pooled->mean, FLEET_CONFIDENCE, pooled->step);
        r = machines_spread(logs, pooled->n, pooled->margin, &pooled->spread);
        pooled->has_spread = r == 0;
}

static int pool(Pooled *pooled) {
        _cleanup_(freep) IntervalLogMean *logs = calloc(pooled->n + 1, sizeof *logs);

        if (!logs)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < pooled->n; i++) {
                logs[i] = pooled->entries[i].number.logs;
                pooled->has_no_logs |= isnan(logs[i].mean) && pooled->n > 1;
                pooled->step = fmax(pooled->step, pooled->entries[i].number.step);
        }
        if (pooled->has_no_logs)
                pooled->over = POOLED_NONE;
        else if (pooled->over != POOLED_NONE && pooled->n == 1) {
                /* One machine's number is taken as it is: it may have no logarithm, and its interval the machine's own care. */
                pooled->interval = pooled->entries[0].number.interval;
        } else if (pooled->over != POOLED_NONE)
                be_several(pooled, logs);
        return 0;
}

int pooled_make(const FleetMembers *members, const FleetRow *row, RowNumberRead read, double margin,
                const FleetPolicy *policy, Pooled *ret_pooled) {
        Pooled pooled = {
                .mean = { NAN, NAN, NAN },
                .interval = { NAN, NAN, NAN },
                .margin = margin,
                .spread = { .odd = MACHINES_NONE },
        };
        bool strict;
        int r;

        r = take_entries(members, row, read, &pooled);
        if (r == 0) {
                strict = fleet_policy_is_strict(policy, members, row->class_index);
                pooled.over = row->failed ? POOLED_NONE : over_of(pooled.n, strict, policy);
                pooled.within_process = mean_deviation(&pooled, offsetof(RowNumber, within_process));
                pooled.between_process = mean_deviation(&pooled, offsetof(RowNumber, between_process));
                r = pool(&pooled);
        }
        if (r) {
                pooled_clear(&pooled);
                return error_trace(r);
        }
        *ret_pooled = pooled;
        return 0;
}

size_t pooled_machines_needed(const Pooled *pooled, double relative) {
        size_t n;

        if (pooled->over != POOLED_MACHINES || !(pooled->interval.high / pooled->interval.point > 1 + relative) ||
                        !(pooled->step < log1p(relative)))
                return 0;
        n = machines_needed(&pooled->mean, pooled->n, relative, FLEET_CONFIDENCE);
        return n > pooled->n && n <= FLEET_MACHINES_LIMIT ? n : 0;
}

Comparison pooled_comparison(const Pooled *pooled, const ComparisonRule *rule) {
        ComparisonRule own = *rule;

        own.step = pooled->step;
        return comparison_of(&(ComparisonDifference){ pooled->mean.mean, pooled->mean.error, pooled->mean.freedom,
                                             pooled->n },
                        &own);
}

/* ---- as JSON */

json_t *pooled_number_json(double number) {
        return isfinite(number) ? json_real(number) : json_null();
}

json_t *pooled_over_json(const Pooled *pooled) {
        static const char *const words[] = { [POOLED_THESE] = "these machines", [POOLED_MACHINES] = "machines" };

        return pooled->over == POOLED_NONE ? json_null() : json_string(words[pooled->over]);
}

json_t *pooled_interval_json(const Pooled *pooled) {
        return json_pack("{s:o, s:o, s:o}", "point", pooled_number_json(pooled->interval.point), "low",
                        pooled_number_json(pooled->interval.low), "high", pooled_number_json(pooled->interval.high));
}

json_t *pooled_machines_json(const Pooled *pooled) {
        _cleanup_(json_decrefp) json_t *machines = json_array();

        for (size_t i = 0; i < pooled->n; i++) {
                const PooledEntry *entry = &pooled->entries[i];
                const Interval *interval = &entry->number.interval;
                json_t *machine = json_pack("{s:s, s:o, s:o, s:o, s:I, s:b}", "name", entry->member->name, "point",
                                pooled_number_json(interval->point), "low", pooled_number_json(interval->low), "high",
                                pooled_number_json(interval->high), "processes", (json_int_t)entry->number.n, "odd",
                                i == pooled->spread.odd);

                if (json_array_append_new(machines, machine) < 0)
                        return NULL;
        }
        return take_pointer(machines);
}

json_t *pooled_variance_json(const Pooled *pooled) {
        return json_pack("{s:o, s:o, s:o}", "between_machine",
                        pooled_number_json(pooled->has_spread ? pooled->spread.between : NAN), "between_process",
                        pooled_number_json(pooled->between_process), "within_process",
                        pooled_number_json(pooled->within_process));
}

json_t *pooled_heterogeneity_json(const Pooled *pooled) {
        return pooled_number_json(pooled->has_spread ? pooled->spread.p_value : NAN);
}

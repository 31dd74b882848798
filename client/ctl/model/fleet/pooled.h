/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One row over the machines of a class: the numbers of those that have it, and the number over them.
 *
 * Three machines or more stand for their class, and their number is over "machines". One or two stand for themselves ("these
 * machines"), with an interval of the spread within them. There is no number where the user wants more machines than there are, where
 * a machine of the class was lost, or one that may be, and fewer than the default remain, where the benchmark failed on a machine, or where
 * a value has no logarithm.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/model/fleet/match.h"
#include "ctl/model/row-number.h"
#include "stats/comparison.h"
#include "stats/machines.h"

typedef struct json_t json_t;

#define FLEET_CONFIDENCE 0.95
#define FLEET_MARGIN     0.005 /* beyond which a spread between machines is named; a comparison's is its own */

/* Half of an interval, as that of a run; more machines are asked for beyond it, or the precision. */
#define FLEET_WIDE           0.05
#define FLEET_MACHINES_LIMIT 1000u /* more are never asked for */

/* How many machines of a class a number takes. */
typedef struct FleetPolicy {
        size_t min_machines;
        bool named; /* by the user: fewer give no number in any class */
        bool none;  /* there is no number at all: the run was cancelled */
} FleetPolicy;

/* True if fewer machines of the class than the policy's give no number: the user said so, or a machine that is left out may be of it. */
bool fleet_policy_is_strict(const FleetPolicy *policy, const FleetMembers *members, size_t class_index);

typedef enum PooledOver {
        POOLED_NONE,
        POOLED_THESE,
        POOLED_MACHINES,
} PooledOver;

typedef struct PooledEntry {
        const FleetMember *member;
        const json_t *row;
        RowNumber number;
} PooledEntry;

typedef struct Pooled {
        PooledOver over;
        PooledEntry *entries; /* the machines that have a number */
        size_t n;
        bool has_no_logs;     /* why there is no number */
        IntervalLogMean mean; /* NaN where the interval is that of one machine */
        Interval interval;
        double step; /* the largest of the machines' */
        double margin;
        bool has_spread;
        MachinesSpread spread;
        double within_process; /* root of the mean square of the machines'; NaN: unknown */
        double between_process;
} Pooled;

/* Pools what @read finds in the rows of @row. Returns 0 or a negative errno. */
int pooled_make(const FleetMembers *members, const FleetRow *row, RowNumberRead read, double margin,
                const FleetPolicy *policy, Pooled *ret_pooled);
void pooled_clear(Pooled *pooled);

/* How many machines an interval takes whose half is @relative of the point, where that of @pooled is wider; 0: none are asked for. */
size_t pooled_machines_needed(const Pooled *pooled, double relative);

/* The comparison by the mean of @pooled, which has one with an error. */
Comparison pooled_comparison(const Pooled *pooled, const ComparisonRule *rule);

/* The fields of a row, new references; NULL if memory ran out. A number that is absent is null. */
json_t *pooled_over_json(const Pooled *pooled);
json_t *pooled_interval_json(const Pooled *pooled);
json_t *pooled_machines_json(const Pooled *pooled);
json_t *pooled_variance_json(const Pooled *pooled);
json_t *pooled_heterogeneity_json(const Pooled *pooled);
json_t *pooled_number_json(double number);

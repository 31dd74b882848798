/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * One row over the machines of a class: the number of each machine that has one, and the number over all of them.
 *
 * Three or more machines represent their class: the number is over "machines". One or two represent only themselves ("these machines"),
 * with an interval from the spread within them. There is no number if the user wants more machines than there are; if fewer than the
 * default remain after losing a machine that is, or may be, of the class; if the benchmark failed on a machine; or if a value has no
 * logarithm.
 */

#include <stdbool.h>
#include <stddef.h>

#include "ctl/model/fleet/match.h"
#include "ctl/model/row-number.h"
#include "stats/comparison.h"
#include "stats/machines.h"

typedef struct json_t json_t;

#define FLEET_CONFIDENCE 0.95
#define FLEET_MARGIN     0.005 /* a larger spread between machines is reported; a comparison has its own margin */

/* Half of an interval, as for a run. For a wider one, or one wider than the precision, more machines are suggested. */
#define FLEET_WIDE           0.05
#define FLEET_MACHINES_LIMIT 1000u /* more are never suggested */

/* The number of machines of a class that a number requires. */
typedef struct FleetPolicy {
        size_t min_machines;
        bool named; /* set by the user: with fewer, no class has a number */
        bool none;  /* no numbers at all: the run was cancelled */
} FleetPolicy;

/* True if fewer machines of the class than the policy's mean no number: the user set it, or a machine left out may be of the class. */
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
        IntervalLogMean mean; /* NaN if the interval is that of one machine */
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

/*
 * The number of machines for an interval whose half is @relative of the point; 0: not suggested, or the interval of @pooled is narrow
 * enough.
 */
size_t pooled_machines_needed(const Pooled *pooled, double relative);

/* The comparison by the mean of @pooled, which must have a mean with an error. */
Comparison pooled_comparison(const Pooled *pooled, const ComparisonRule *rule);

/* The fields of a row, new references; NULL if memory ran out. A number that is absent is null. */
json_t *pooled_over_json(const Pooled *pooled);
json_t *pooled_interval_json(const Pooled *pooled);
json_t *pooled_machines_json(const Pooled *pooled);
json_t *pooled_variance_json(const Pooled *pooled);
json_t *pooled_heterogeneity_json(const Pooled *pooled);
json_t *pooled_number_json(double number);

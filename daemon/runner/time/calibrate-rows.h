/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The readings of a calibration and their analysis: whether the ruler counts the core's cycles, and how long the probes take alone. Pure, so that
 * tests can simulate a neighbour.
 *
 * A neighbour makes a reading longer, never shorter, so each level is the lowest cluster. A step that does not take exactly one cycle was read
 * beside a neighbour, however steady, unless the readings show marks of another kind of core that no neighbour causes.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ClockFacts ClockFacts;

#define CALIBRATE_PORTS 3u /* numbers of chains to try */

/* The numbers of chains, falling. */
extern const uint32_t calibrate_rows_chains[CALIBRATE_PORTS];

/* Rulers read in direct succession, so the core's frequency may change only between rows. */
typedef struct CalibrateRulerRow {
        double once_ticks;
        double twice_ticks; /* of a ruler of twice the length */
        double multiplied_ticks;
} CalibrateRulerRow;

/* Readings in direct succession: a ruler, and each probe with the usual number of steps and with twice as many. */
typedef struct CalibrateProbeRow {
        double ruler_ticks;
        double branch_ticks[2];
        double ports_ticks[CALIBRATE_PORTS][2];
} CalibrateProbeRow;

/*
 * Finds the ruler of @turns from @n rows: its fixed cost, its check, and the core's cycles per tick into @ret_cycles_per_tick. Without turns
 * there is none, and it counts as missing. False if more rows may give more. @work has room for @n.
 */
bool calibrate_rows_find_ruler(const CalibrateRulerRow *rows, size_t n, uint32_t turns, double *work, ClockFacts *clock,
                double *ret_cycles_per_tick);

/* Finds the levels of the probes from @n rows. False if they are not clear yet, and more rows may show them. */
bool calibrate_rows_find_levels(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock);

/*
 * Decides with the final @n rows, which gave no levels: another kind of core has no probes; any other core gets the levels by design, and
 * measured ones count as missing.
 */
void calibrate_rows_conclude(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock);

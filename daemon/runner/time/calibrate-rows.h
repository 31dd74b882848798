/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The readings of a calibration, and what they say of a core: whether the ruler counts its cycles, and how long the probes take when they have it
 * alone. Pure, so that a test lays the neighbour.
 *
 * A neighbour makes a reading longer, never shorter, so each level is that of a lowest cluster. A step that takes no cycle alone was read
 * beside a neighbour, however steady that is, unless the readings have what a core of another kind has and a neighbour does not bring about.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ClockFacts ClockFacts;

#define CALIBRATE_PORTS 3u /* numbers of chains that are tried */

/* The numbers of chains, falling. */
extern const uint32_t calibrate_rows_chains[CALIBRATE_PORTS];

/* Rulers beside one another, so that the core's frequency may change between such rows. */
typedef struct CalibrateRulerRow {
        double once_ticks;
        double twice_ticks; /* of twice the length */
        double multiplied_ticks;
} CalibrateRulerRow;

/* Readings taken in one go: a ruler, and each probe with as many steps as beside a batch and with twice as many. */
typedef struct CalibrateProbeRow {
        double ruler_ticks;
        double branch_ticks[2];
        double ports_ticks[CALIBRATE_PORTS][2];
} CalibrateProbeRow;

/*
 * Finds the ruler of @turns from @n rows: its fixed cost, its check, and the cycles of the core a tick into @ret_cycles_per_tick. Without turns
 * it is none, and missing. False if more rows may find more. @work has room for @n.
 */
bool calibrate_rows_find_ruler(const CalibrateRulerRow *rows, size_t n, uint32_t turns, double *work, ClockFacts *clock,
                double *ret_cycles_per_tick);

/* Finds the levels of the probes from @n rows. False if they did not come out, and more rows may find them. */
bool calibrate_rows_find_levels(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock);

/*
 * Concludes that @n rows are all that there are, in which no levels came out: a core of another kind has no probes; any other gets the levels to
 * which steps come by design, and those found are missing.
 */
void calibrate_rows_conclude(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/time/calibrate-rows.h"

#include <math.h>

#include "clock/cluster.h"
#include "clock/probe.h"
#include "clock/ruler.h"
#include "ops/runner-plan.h"

#define ROWS_RULER_ALONE 1.005 /* of the fastest */
#define ROWS_COST_APART  0.3   /* of the clock pair's: a ruler costs that, and a few cycles for its loop */
#define ROWS_STEADY      2000u /* rows, for a probe of ports that counts no cycles */
#define ROWS_ALIKE       1.01  /* of the level, and a step of the clock: readings of a core that is always alone */
#define ROWS_ALIKE_SHARE 0.8   /* of the rows, at least; interrupts and a change of frequency spoil some */

const uint32_t calibrate_rows_chains[CALIBRATE_PORTS] = { 8, 6, PROBE_CHAINS_MIN };

/* ---- the ruler */

static double rulers_level(const CalibrateRulerRow *rows, size_t n, size_t offset, double *work) {
        for (size_t i = 0; i < n; i++)
                work[i] = *(const double *)((const char *)&rows[i] + offset);
        return cluster_mean(cluster_lowest(work, n, ROWS_RULER_ALONE, 0));
}

/*
 * The ruler's fixed cost is the part that does not double with twice the length, in rows that had the core alone throughout: a
 * neighbour slows additions by 1 or 2 %, which is little for a ruler but much for its cost. 0 if there are too few such rows.
 */
static double rulers_cost(const CalibrateRulerRow *rows, size_t n, double once_ticks, double twice_ticks,
                double *work) {
        size_t n_alone = 0;

        for (size_t i = 0; i < n; i++)
                if (rows[i].once_ticks <= ROWS_RULER_ALONE * once_ticks &&
                                rows[i].twice_ticks <= ROWS_RULER_ALONE * twice_ticks)
                        work[n_alone++] = 2 * rows[i].once_ticks - rows[i].twice_ticks;
        return n_alone >= PROBE_READINGS_MIN ? cluster_mean(cluster_middle(work, n_alone)) : 0;
}

/* If no row had the core alone for long enough, the cost of the clock pair is used, which is nearly all of it. */
bool calibrate_rows_find_ruler(const CalibrateRulerRow *rows, size_t n, uint32_t turns, double *work, ClockFacts *clock,
                double *ret_cycles_per_tick) {
        const double pair_ticks = clock->pair_cost_ticks;
        const double once = rulers_level(rows, n, offsetof(CalibrateRulerRow, once_ticks), work);
        const double twice = rulers_level(rows, n, offsetof(CalibrateRulerRow, twice_ticks), work);
        const double multiplied = rulers_level(rows, n, offsetof(CalibrateRulerRow, multiplied_ticks), work);
        const double cost = rulers_cost(rows, n, once, twice, work);
        const bool alone = fabs(cost - pair_ticks) <= ROWS_COST_APART * pair_ticks;

        clock->ruler_cost_ticks = alone ? cost : pair_ticks;
        clock->ruler_check = (multiplied - pair_ticks) / (once - pair_ticks);
        clock->ruler_turns = ruler_confirms(clock->ruler_check) ? turns : 0;
        clock->missing = clock->ruler_turns > 0 ? 0 : CLOCK_MISSING_RULER;
        *ret_cycles_per_tick = ruler_cycles_per_tick(turns, once, clock->ruler_cost_ticks);
        return alone && clock->ruler_turns > 0;
}

/* ---- probes */

typedef struct Rows {
        const CalibrateProbeRow *rows;
        size_t n;
        double *work;
        const ClockFacts *clock;
        double fastest_ticks; /* of the rows' rulers */
} Rows;

static Rows rows_of(const CalibrateProbeRow *rows, size_t n, double *work, const ClockFacts *clock) {
        for (size_t i = 0; i < n; i++)
                work[i] = rows[i].ruler_ticks;
        return (Rows){ rows, n, work, clock, cluster_median(cluster_lowest(work, n, ROWS_RULER_ALONE, 0)) };
}

static double row_cycles_per_tick(const Rows *of, size_t i) {
        return ruler_cycles_per_tick(of->clock->ruler_turns, of->rows[i].ruler_ticks, of->clock->ruler_cost_ticks);
}

/* A neighbour slows a ruler a little, and an interrupt a lot: relative to a slow ruler a probe would look quick. */
static bool row_is_fastest(const Rows *of, size_t i) {
        return of->rows[i].ruler_ticks <= ROWS_RULER_ALONE * of->fastest_ticks;
}

/* The levels of the probe at @offset of each row, in cycles, for the usual number of steps and for twice as many. */
static void rows_levels(const Rows *of, size_t offset, double ret_levels[static 2]) {
        for (size_t k = 0; k < 2; k++) {
                size_t n_kept = 0;

                for (size_t i = 0; i < of->n; i++) {
                        const double *ticks = (const double *)((const char *)&of->rows[i] + offset);

                        if (row_is_fastest(of, i))
                                of->work[n_kept++] = ticks[k] * row_cycles_per_tick(of, i);
                }
                ret_levels[k] = probe_level(of->work, n_kept);
        }
}

/* The level of the probe at @offset if each step takes a cycle; else 0. */
static double rows_cycle_level(const Rows *of, size_t offset) {
        double levels[2];

        rows_levels(of, offset, levels);
        return probe_step_takes(1, levels[0], levels[1]) ? levels[0] : 0;
}

/*
 * Writes into the work array the cycles of the port probe with chains[@which], in rows whose branch probes had the core
 * alone. Returns their number.
 */
static size_t rows_keep_alone(const Rows *of, size_t which) {
        const ProbeLevels levels = { .branch_cycles = of->clock->branch_cycles };
        size_t n_kept = 0;

        for (size_t i = 0; i < of->n; i++) {
                const double cycles_per_tick = row_cycles_per_tick(of, i);
                const ProbeReading reading = { .branch_ticks = of->rows[i].branch_ticks[0] };

                if (row_is_fastest(of, i) && !probe_is_slow(&reading, &levels, cycles_per_tick))
                        of->work[n_kept++] = of->rows[i].ports_ticks[which][0] * cycles_per_tick;
        }
        return n_kept;
}

/* The most chains that still take one cycle per step are all additions that the core can do at once. */
static double rows_ports_level(const Rows *of, size_t which) {
        return rows_cycle_level(of, offsetof(CalibrateProbeRow, ports_ticks) + which * sizeof of->rows->ports_ticks[0]);
}

/*
 * A core whose number of parallel additions fits no number of chains takes no whole cycle per step, but a constant
 * time.
 */
static double rows_steady_level(const Rows *of, size_t which) {
        return of->n >= ROWS_STEADY ? probe_steady_level(of->work, rows_keep_alone(of, which)) : 0;
}

/* Uses the largest number of chains that has a @level. */
static bool rows_find_ports(const Rows *of, double (*level)(const Rows *of, size_t which), ClockFacts *clock) {
        for (size_t i = 0; i < CALIBRATE_PORTS; i++) {
                clock->ports_cycles = level(of, i);
                clock->port_chains = clock->ports_cycles > 0 ? calibrate_rows_chains[i] : 0;
                if (clock->port_chains > 0)
                        return true;
        }
        return false;
}

bool calibrate_rows_find_levels(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock) {
        const Rows of = rows_of(rows, n, work, clock);

        clock->branch_cycles = rows_cycle_level(&of, offsetof(CalibrateProbeRow, branch_ticks));
        return clock->branch_cycles > 0 &&
               (rows_find_ports(&of, rows_ports_level, clock) || rows_find_ports(&of, rows_steady_level, clock));
}

/* ---- none came out */

/* True if nearly all rulers are at their fastest, and nearly all of the longer branch probes beside them are equal. */
static bool rows_are_alike(const Rows *of, double branch_cycles) {
        size_t n_alike = 0;

        for (size_t i = 0; i < of->n; i++)
                n_alike += row_is_fastest(of, i) &&
                           of->rows[i].branch_ticks[1] <= ROWS_ALIKE * branch_cycles / row_cycles_per_tick(of, i) +
                                                                          of->clock->quantum_ticks;
        return n_alike >= ROWS_ALIKE_SHARE * of->n;
}

/*
 * Another kind of core takes half a cycle per branch, which no neighbour can cause, or two, and then whole cycles for its additions. Beside a
 * neighbour a branch takes one and a half to two and a half cycles, and hardly two readings are equal.
 */
static bool rows_are_of_another_kind(const Rows *of) {
        double branch[2], ports[2];

        rows_levels(of, offsetof(CalibrateProbeRow, branch_ticks), branch);
        rows_levels(of, offsetof(CalibrateProbeRow, ports_ticks[CALIBRATE_PORTS - 1]), ports);
        if (!rows_are_alike(of, branch[1]))
                return false;
        return probe_step_takes(0.5, branch[0], branch[1]) ||
               (probe_step_takes(2, branch[0], branch[1]) &&
                               (probe_step_takes(1, ports[0], ports[1]) || probe_step_takes(2, ports[0], ports[1])));
}

/*
 * If branch probes had the core alone at times, so had port probes, and the lowest of these are the best known levels.
 */
void calibrate_rows_conclude(const CalibrateProbeRow *rows, size_t n, double *work, ClockFacts *clock) {
        const Rows of = rows_of(rows, n, work, clock);

        clock->ports_cycles = 0;
        if (clock->branch_cycles == 0 && rows_are_of_another_kind(&of))
                return;
        clock->missing |= CLOCK_MISSING_LEVELS;
        clock->port_chains = calibrate_rows_chains[0];
        if (clock->branch_cycles > 0)
                clock->ports_cycles = probe_level(work, rows_keep_alone(&of, 0));
        else
                clock->branch_cycles = PROBE_STEPS + PROBE_FIXED_CYCLES;
        if (clock->ports_cycles > 0)
                return;
        clock->ports_cycles = PROBE_STEPS + PROBE_FIXED_CYCLES;
        clock->port_chains = PROBE_CHAINS_MIN;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The runs of a method that shows each of them, below the row of their benchmark: a line a run with its ticks and its time, the highest
 * and the lowest marked, and how far apart these two are.
 */

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/error.h"

/* The places of the extremes: of several equal ones the first. */
typedef struct RunExtremes {
        size_t highest;
        size_t lowest;
        double highest_ticks;
        double lowest_ticks;
} RunExtremes;

static double run_number(const json_t *run, const char *key) {
        double number;

        return json_number_at(run, key, &number) ? number : NAN;
}

static RunExtremes find_extremes(const json_t *runs) {
        RunExtremes extremes = { .highest_ticks = -INFINITY, .lowest_ticks = INFINITY };

        for (size_t i = 0; i < json_array_size(runs); i++) {
                const double ticks = run_number(json_array_get(runs, i), "ticks");

                if (ticks > extremes.highest_ticks)
                        extremes.highest = i, extremes.highest_ticks = ticks;
                if (ticks < extremes.lowest_ticks)
                        extremes.lowest = i, extremes.lowest_ticks = ticks;
        }
        return extremes;
}

static const char *run_mark(const RunExtremes *extremes, size_t index) {
        if (extremes->highest == extremes->lowest)
                return "";
        return index == extremes->highest ? "  highest" : index == extremes->lowest ? "  lowest" : "";
}

/* A run of several iterations has their time beside its own. */
static int add_run(Grid *grid, const json_t *run, size_t index, bool several, const RunExtremes *extremes,
                const AmountTimeUnit *unit) {
        char text[UNIT_TEXT_MAX];
        FILE *out = grid_cell(grid);

        fprintf(out, "    %4zu  %15s ticks", index + 1, unit_count(run_number(run, "ticks"), text));
        fprintf(out, "  %10s", unit_time_in(unit, run_number(run, "elapsed_ns"), text));
        if (several)
                fprintf(out, "  %10s each", unit_time_in(unit, run_number(run, "time_ns"), text));
        fputs(run_mark(extremes, index), out);
        return error_trace(grid_add_verbatim(grid, GRID_DIM));
}

static int add_spread(Grid *grid, const json_t *benchmark, const RunExtremes *extremes) {
        char share[UNIT_TEXT_MAX], ticks[UNIT_TEXT_MAX];
        double spread;

        if (!json_number_at(benchmark, "runs_spread", &spread))
                return 0;
        fprintf(grid_cell(grid), "    highest and lowest differ by %s ticks, %s",
                        unit_count(extremes->highest_ticks - extremes->lowest_ticks, ticks), unit_share(spread, share));
        return error_trace(grid_add_verbatim(grid, GRID_DIM));
}

int report_add_runs(Grid *grid, const json_t *benchmark, const AmountTimeUnit *unit) {
        const json_t *runs = json_at(benchmark, "runs");
        const RunExtremes extremes = find_extremes(runs);
        double operations, iterations;
        int r = 0;

        if (json_array_size(runs) == 0)
                return 0;
        iterations = run_number(benchmark, "iterations_per_sample");
        operations = run_number(benchmark, "ops_per_iteration");
        for (size_t i = 0; r == 0 && i < json_array_size(runs); i++)
                r = add_run(grid, json_array_get(runs, i), i, iterations * operations > 1, &extremes, unit);
        return r ? error_trace(r) : error_trace(add_spread(grid, benchmark, &extremes));
}

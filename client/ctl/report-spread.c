/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A second table of a run, for --format=details: how the times of each benchmark spread, and the figures that older
 * harnesses report.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/row.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DASH "–"

DEFINE_CLEANUP(Grid *, grid_free)

typedef struct SpreadColumn SpreadColumn;

/* Writes a cell, or nothing if there is no value. */
typedef void (*SpreadFill)(const SpreadColumn *column, const json_t *benchmark, FILE *out);

struct SpreadColumn {
        GridColumn grid;
        SpreadFill fill;
        const char *path;
};

/* ---- cells */

static void fill_name(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        const char *side = json_text_at(benchmark, "side");

        row_print_name(benchmark, out);
        if (side)
                fprintf(out, " (%s)", side);
}

static void fill_share(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(benchmark, column->path, &share))
                fputs(unit_share(share, text), out);
}

static void fill_number(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double number;

        if (json_number_at(benchmark, column->path, &number))
                fputs(unit_number(number, text), out);
}

static void fill_time(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (json_number_at(benchmark, column->path, &ns))
                fputs(unit_time(ns, text), out);
}

static void fill_median(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;

        if (json_number_at(benchmark, "time_ns.raw.median_low", &low) &&
                        json_number_at(benchmark, "time_ns.raw.median_high", &high))
                fprintf(out, "%s … %s", unit_time(low, text_low), unit_time(high, text_high));
}

static void fill_drift(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double change, p_value;

        if (!json_number_at(benchmark, "drift.change", &change))
                return;
        fprintf(out, "%s%s", change < 0 ? "-" : "+", unit_share(fabs(change), text));
        if (json_number_at(benchmark, "drift.p_value", &p_value))
                fprintf(out, " (p %.2g)", p_value);
}

static void fill_modes(const SpreadColumn *column, const json_t *benchmark, FILE *out) {
        const json_t *modes = json_at(benchmark, "modes");

        for (size_t i = 0; i < json_array_size(modes); i++) {
                const json_t *mode = json_array_get(modes, i);
                const char *kind = json_text_at(mode, "kind");
                char share[UNIT_TEXT_MAX], center[UNIT_TEXT_MAX];
                double ns, weight;

                if (json_number_at(mode, "center_ns", &ns) && json_number_at(mode, "weight", &weight))
                        fprintf(out, "%s%s %s at %s", i > 0 ? ", " : "", kind ? kind : "", unit_share(weight, share),
                                        unit_time(ns, center));
        }
}

/* ---- columns */

#define RIGHT(title_, fill_, path_)                                                                                    \
 { .grid = { .title = title_, .gap = 2 }, .fill = fill_, .path = path_ }
#define LEFT(title_, gap_, fill_)                                                                                      \
 { .grid = { .title = title_, .left = true, .gap = gap_ }, .fill = fill_ }

static const SpreadColumn columns[] = {
        LEFT("spread", 0, fill_name),
        RIGHT("within", fill_share, "variance.within_process"),
        RIGHT("between", fill_share, "variance.between_process"),
        RIGHT("ess", fill_number, "variance.ess"),
        RIGHT("drift", fill_drift, NULL),
        RIGHT("1 sd (68.3 %)", fill_share, "time_ns.raw.within_1sd"),
        RIGHT("2 sd (95.4 %)", fill_share, "time_ns.raw.within_2sd"),
        RIGHT("median lies in", fill_median, NULL),
        RIGHT("raw speed", fill_time, "time_ns.raw.best"),
        RIGHT("gymnastics", fill_time, "time_ns.raw.trimmed_mean"),
        LEFT("modes", 2, fill_modes),
};

static int cell_new(const SpreadColumn *column, const json_t *benchmark, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        column->fill(column, benchmark, stream);
        if (ftell(stream) == 0)
                fputs(DASH, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        *ret_text = take_pointer(text);
        return 0;
}

static int add_row(Grid *grid, const json_t *benchmark) {
        char *cells[N_ELEMENTS(columns)] = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < N_ELEMENTS(columns); i++)
                r = cell_new(&columns[i], benchmark, &cells[i]);
        if (r == 0)
                r = grid_add_row(grid, (const char *const *)cells);
        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                free(cells[i]);
        return error_trace(r);
}

static int spread_grid_new(Grid **ret_grid) {
        GridColumn grid_columns[N_ELEMENTS(columns)];

        for (size_t i = 0; i < N_ELEMENTS(columns); i++)
                grid_columns[i] = columns[i].grid;
        return error_trace(grid_new(grid_columns, N_ELEMENTS(columns), ret_grid));
}

int report_spread(const json_t *result, bool color, FILE *out) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = spread_grid_new(&grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (!json_at(json_array_get(benchmarks, i), "failed"))
                        r = add_row(grid, json_array_get(benchmarks, i));
        if (r)
                return error_trace(r);
        grid_print(grid, color, out);
        return 0;
}

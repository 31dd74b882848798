/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The line below the rows of a sweep: how the time of a benchmark grows with its size.
 */

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/result.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "stats/complexity.h"
#include "util/error.h"

bool report_sweep_is_same(const json_t *a, const json_t *b) {
        return json_is_same(a, b, "area") && json_is_same(a, b, "name") && row_threads(a) == row_threads(b);
}

const json_t *report_sweep_find(const json_t *result, const json_t *benchmark) {
        const json_t *sweeps = json_at(result, "complexity");

        for (size_t i = 0; i < json_array_size(sweeps); i++)
                if (report_sweep_is_same(json_array_get(sweeps, i), benchmark))
                        return json_array_get(sweeps, i);
        return NULL;
}

static bool is_last_row(const json_t *benchmarks, size_t index) {
        for (size_t i = index + 1; i < json_array_size(benchmarks); i++)
                if (report_sweep_is_same(json_array_get(benchmarks, i), json_array_get(benchmarks, index)))
                        return false;
        return true;
}

/* "O(n lg n), 1.7 ns + 3.2 ns × n lg n" */
static void print_fit(const json_t *sweep, const char *order, const AmountTimeUnit *unit, FILE *out) {
        double coefficient_ns, constant_ns;
        char text[UNIT_TEXT_MAX];

        fprintf(out, "O(%s)", order);
        if (!json_number_at(sweep, "coefficient", &coefficient_ns))
                return;
        fputs(", ", out);
        if (json_number_at(sweep, "constant", &constant_ns) && constant_ns != 0)
                fprintf(out, "%s + ", unit_time_in(unit, constant_ns, text));
        fputs(unit_time_in(unit, coefficient_ns, text), out);
        if (strcmp(order, "1") != 0)
                fprintf(out, " × %s", order);
}

double report_sweep_time_ns(const json_t *sweep, double size) {
        const char *order = json_text_at(sweep, "order");
        const ComplexityForm *form = order ? complexity_find(order) : NULL;
        double coefficient_ns, constant_ns = 0;

        if (!form || !json_number_at(sweep, "coefficient", &coefficient_ns))
                return NAN;
        (void)json_number_at(sweep, "constant", &constant_ns);
        return constant_ns + coefficient_ns * form->of(size);
}

void report_print_sweep(const json_t *sweep, const AmountTimeUnit *unit, FILE *out) {
        const char *order = json_text_at(sweep, "order"), *argument = json_text_at(sweep, "arg");
        char text[UNIT_TEXT_MAX];
        double residual;

        if (argument && strcmp(argument, "n") != 0)
                fprintf(out, "n = %s: ", argument);
        if (order)
                print_fit(sweep, order, unit, out);
        else
                fputs("no order of growth fits", out);
        if (json_number_at(sweep, "residual", &residual))
                fprintf(out, "%s%s", order ? " an operation, residual " : "; the closest has a residual of ",
                                unit_share(residual, text));
        if (row_threads(sweep) > 1)
                fprintf(out, " (threads=%g)", row_threads(sweep));
}

/* The sweep whose last row is at @index; NULL if there is none. */
static const json_t *sweep_ending(const json_t *result, size_t index) {
        const json_t *benchmarks = result_rows(result);

        return is_last_row(benchmarks, index) ? report_sweep_find(result, json_array_get(benchmarks, index)) : NULL;
}

int report_add_sweep(Grid *grid, const json_t *result, size_t index, const View *view) {
        const json_t *sweep = sweep_ending(result, index);
        FILE *out;

        if (!sweep)
                return 0;
        if (!view->details && !json_text_at(sweep, "order"))
                return 0; /* caches, thresholds and the like: nothing to say of them at a glance */
        out = grid_cell(grid);
        fputs("    ", out);
        report_print_sweep(sweep, view->times.unit, out);
        return error_trace(grid_add_line(grid, GRID_DIM));
}

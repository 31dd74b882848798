/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/fleet-row.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/time-unit.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define RANGE_STEP      5e-4 /* relative: machines that agree better than that need no more digits */
#define FLEET_COUNT_MAX 1e9  /* a stranger's file may say anything */

bool fleet_is(const json_t *document) {
        return json_is_object(json_at(document, "fleet")) && json_is_array(json_at(document, "fleet.machines"));
}

bool fleet_compares(const json_t *document) {
        return json_array_size(json_at(document, "comparisons")) > 0;
}

size_t fleet_count(const json_t *document, const char *path) {
        double number;

        return json_number_at(document, path, &number) && number > 0 && number < FLEET_COUNT_MAX ? (size_t)number : 0;
}

static bool has_text(const json_t *machine, const char *path, const char *text) {
        const char *own = json_text_at(machine, path);

        return own && strcmp(own, text) == 0;
}

size_t fleet_count_state(const json_t *document, const char *state) {
        const json_t *machines = json_at(document, "fleet.machines");
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                n += has_text(json_array_get(machines, i), "state", state);
        return n;
}

bool fleet_refuses_module(const json_t *machine) {
        return has_text(machine, "error.code", "bad-module");
}

static bool is_left_out(const json_t *machine) {
        return has_text(machine, "state", "lost") ||
               (has_text(machine, "state", "refused") && !fleet_refuses_module(machine) &&
                               !has_text(machine, "error.code", "cancelled"));
}

size_t fleet_count_left_out(const json_t *document) {
        const json_t *machines = json_at(document, "fleet.machines");
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                n += is_left_out(json_array_get(machines, i));
        return n;
}

/* ---- names */

void fleet_print_name(const json_t *row, FILE *out) {
        const char *area = json_text_at(row, "area"), *old_area = json_text_at(row, "old_area");
        const char *old_name = json_text_at(row, "old_name");

        if (area)
                fprintf(out, "%s/", area);
        cell_print_name(row, out);
        if (old_name)
                fprintf(out, " against %s/%s", old_area ? old_area : area ? area : "?", old_name);
}

static const char *name_at(const json_t *names, size_t index) {
        const json_t *item = json_array_get(names, index);
        const char *name = json_is_string(item) ? json_string_value(item) : json_text_at(item, "name");

        return name ? name : "?";
}

void fleet_print_names(const json_t *names, size_t most, FILE *out) {
        const size_t n = json_array_size(names), n_shown = most > 0 && most < n ? most : n;

        for (size_t i = 0; i < n_shown; i++)
                fprintf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", name_at(names, i));
        if (n_shown < n)
                fprintf(out, " and %zu other%s", n - n_shown, n - n_shown == 1 ? "" : "s");
}

/* ---- cells */

/* The lowest and the highest of the machines; returns how many have a number. */
static size_t extremes(const json_t *row, double *ret_low, double *ret_high) {
        const json_t *machines = json_at(row, "machines");
        double low = INFINITY, high = -INFINITY, point;
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                if (json_number_at(json_array_get(machines, i), "point", &point)) {
                        low = fmin(low, point);
                        high = fmax(high, point);
                        n++;
                }
        *ret_low = low;
        *ret_high = high;
        return n;
}

/* Both with as many digits as tell them apart. */
static void print_range(double low, double high, const char *unit, FILE *out) {
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        const double error = fmax((high - low) / 2, RANGE_STEP * fabs(high));

        fprintf(out, "%s … %s%s%s", unit_to_error(low, error, text_low), unit_to_error(high, error, text_high),
                        *unit ? " " : "", unit);
}

static void print_machines_range(const json_t *row, FILE *out) {
        const bool timed = json_at(row, "time_ns") && !json_flag_at(row, "scaled");
        char text[UNIT_TEXT_MAX];
        const char *unit = "";
        double low, high, size;
        size_t n;

        n = extremes(row, &low, &high);
        size = n > 0 && timed ? unit_time_size(time_unit_of(row), high, &unit) : 1;
        if (n > 1)
                print_range(low / size, high / size, unit, out);
        else if (n == 1)
                fputs(timed ? unit_time_in(time_unit_of(row), low, text) : unit_number(low, text), out);
}

void fleet_print_words(const json_t *row, FILE *out) {
        const char *machine = json_text_at(row, "failed.machine"), *message = json_text_at(row, "failed.message");
        const size_t n = json_array_size(json_at(row, "machines"));

        if (json_at(row, "failed"))
                fprintf(out, "%s%s%s", machine ? machine : "", machine ? ": " : "", message ? message : "It failed.");
        else if (!json_at(row, "over") && n > 0) {
                print_machines_range(row, out);
                fprintf(out, " on %zu machine%s (not pooled)", n, n == 1 ? "" : "s");
        } else if (!json_at(row, "over"))
                fputs("no machine has a number", out);
}

/* The number of one machine alone is that of the row. */
static void fill_range(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        if (json_array_size(json_at(row, "machines")) > 1)
                print_machines_range(row, out);
}

static void fill_ratio(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double point, low = 0, high = 0;

        if (!json_number_at(row, path, &point))
                return;
        if (!json_number_at(row, "ratio.low", &low) || !json_number_at(row, "ratio.high", &high))
                low = high = 0;
        fputs(unit_to_error(point, (high - low) / 2, text), out);
}

static void fill_ratio_interval(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        double low, high;

        if (json_number_at(row, "ratio.low", &low) && json_number_at(row, "ratio.high", &high))
                print_range(low, high, "", out);
}

static void fill_p_value(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        double p;

        if (json_number_at(row, path, &p))
                fprintf(out, p < 0.0001 ? "< 0.0001" : "%.4f", p);
}

/* The number of machines, and which of the two questions the interval answers: "3" stands for their kind, "these 2" do not. */
static void fill_machines(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        const size_t n = json_array_size(json_at(row, "machines"));
        const char *over = json_text_at(row, "over");

        if (n == 0)
                return;
        if (!over || strcmp(over, "machines") == 0)
                fprintf(out, "%zu", n);
        else if (n == 1)
                fputs("this one", out);
        else
                fprintf(out, "these %zu", n);
}

static void fill_note(const char *path, const json_t *row, Footnotes *footnotes, FILE *out) {
        const json_t *machines = json_at(row, "machines");
        const char *separator = "odd: ";

        if (json_flag_at(row, "odd"))
                fputs("odd", out);
        for (size_t i = 0; i < json_array_size(machines); i++)
                if (json_flag_at(json_array_get(machines, i), "odd")) {
                        fprintf(out, "%s%s", separator, name_at(machines, i));
                        separator = ", ";
                }
}

/* ---- columns */

/* clang-format off */
#define COLUMN(name_, title_, gap_, style_, rank_, fill_, path_)                                                       \
 { .name = name_, .fill = fill_, .path = path_,                                                                        \
   .grid = { .title = title_, .gap = gap_, .style = style_, .rank = rank_, .dash = true, .optional = rank_ > 0 } }
#define DETAIL(name_, title_, fill_, path_)                                                                            \
 { .name = name_, .fill = fill_, .path = path_, .details = true,                                                       \
   .grid = { .title = title_, .gap = 2, .rank = 9, .dash = true, .optional = true } }
#define SPREAD COLUMN("spread", "spread", 2, GRID_PLAIN, 5, cell_share, "variance.between_machine")
#define MACHINES COLUMN("machines", "machines", 2, GRID_PLAIN, 3, fill_machines, NULL)
#define RANGE COLUMN("range", "lowest … highest", 2, GRID_PLAIN, 6, fill_range, NULL)
#define PROCESSES DETAIL("processes", "processes", cell_count, "processes")
#define WITHIN                                                                                                         \
 DETAIL(NULL, "between processes", cell_share, "variance.between_process"),                                            \
 DETAIL(NULL, "within", cell_share, "variance.within_process"),                                                        \
 DETAIL(NULL, "p alike", fill_p_value, "heterogeneity_p"),                                                             \
 DETAIL(NULL, "machines needed", cell_count, "machines_needed")
#define NOTE                                                                                                           \
 { .name = "note", .fill = fill_note, .grid = { .title = "note", .left = true, .gap = 2, .rank = 4, .least = 16, .optional = true } }

static const FleetColumn run_columns[] = {
        COLUMN("time", "time", 3, GRID_BOLD, 0, cell_time, "time_ns.point"),
        COLUMN("interval", "interval", 1, GRID_PLAIN, 0, cell_interval, NULL),
        COLUMN("cycles", "cycles", 2, GRID_PLAIN, 7, cell_number, "cycles.point"),
        SPREAD,
        MACHINES,
        PROCESSES,
        RANGE,
        WITHIN,
        NOTE,
};

static const FleetColumn comparison_columns[] = {
        COLUMN("old", "old", 3, GRID_PLAIN, 8, cell_time, "old.point"),
        COLUMN("new", "new", 2, GRID_PLAIN, 7, cell_time, "new.point"),
        COLUMN("ratio", "new / old", 2, GRID_BOLD, 0, fill_ratio, "ratio.point"),
        COLUMN("interval", "95 % interval", 2, GRID_PLAIN, 2, fill_ratio_interval, NULL),
        { .name = "verdict", .fill = cell_text, .path = "verdict",
          .grid = { .title = "verdict", .left = true, .gap = 2, .style = GRID_BOLD, .dash = true } },
        DETAIL("p", "p", fill_p_value, "p_value"),
        SPREAD,
        MACHINES,
        PROCESSES,
        RANGE,
        WITHIN,
        NOTE,
};
/* clang-format on */

typedef struct FleetTable {
        const FleetColumn *columns;
        size_t n;
} FleetTable;

static const FleetTable tables[] = {
        { run_columns, N_ELEMENTS(run_columns) },
        { comparison_columns, N_ELEMENTS(comparison_columns) },
};

static const FleetColumn *table_find(const FleetTable *table, const char *name, size_t n) {
        for (size_t i = 0; i < table->n; i++)
                if (table->columns[i].name && strlen(table->columns[i].name) == n &&
                                memcmp(table->columns[i].name, name, n) == 0)
                        return &table->columns[i];
        return NULL;
}

const FleetColumn *fleet_headline(const json_t *document) {
        const bool compares = fleet_compares(document);

        return table_find(&tables[compares], compares ? "ratio" : "time", compares ? strlen("ratio") : strlen("time"));
}

bool fleet_has_column(bool compared, const char *name, size_t n) {
        return table_find(&tables[compared], name, n);
}

void fleet_print_columns(bool compared, FILE *out) {
        const FleetTable *table = &tables[compared];
        const char *separator = "";

        for (size_t i = 0; i < table->n; i++)
                if (table->columns[i].name) {
                        fprintf(out, "%s%s", separator, table->columns[i].name);
                        separator = ", ";
                }
}

/* Columns that were asked for are all there, however wide; of a file, those that other tables have alone are left out. */
static size_t columns_choose(const FleetTable *table, const char *names, FleetColumn *ret_columns) {
        size_t n_chosen = 0;

        for (const char *name = names; *name && n_chosen < FLEET_COLUMNS_MAX; name += strspn(name, ",")) {
                const size_t n = strcspn(name, ",");
                const FleetColumn *column = table_find(table, name, n);

                if (column) {
                        ret_columns[n_chosen] = *column;
                        ret_columns[n_chosen].grid.rank = 0;
                        ret_columns[n_chosen++].grid.optional = false;
                }
                name += n;
        }
        return n_chosen;
}

size_t fleet_columns(const json_t *document, const View *view, FleetColumn ret_columns[static FLEET_COLUMNS_MAX]) {
        const FleetTable *table = &tables[fleet_compares(document)];
        size_t n = 0;

        if (view->columns)
                return columns_choose(table, view->columns, ret_columns);
        for (size_t i = 0; i < table->n; i++)
                if (view->details || !table->columns[i].details)
                        ret_columns[n++] = table->columns[i];
        return n;
}

char *fleet_text(const FleetColumn *column, const json_t *row) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return NULL;
        column->fill(column->path, row, NULL, stream);
        return fclose(stream) == 0 ? take_pointer(text) : NULL;
}

/* ---- rows */

static bool has_name(const json_t *names, const char *name) {
        for (size_t i = 0; i < json_array_size(names); i++)
                if (strcmp(name_at(names, i), name) == 0)
                        return true;
        return false;
}

/* A machine that tells no class is one of its own: @of is a row of it alone, or the machine. */
static bool is_own_class(const json_t *class, const json_t *of) {
        const json_t *machines = json_at(class, "machines");
        const char *failed = json_text_at(of, "failed.machine"), *own = json_text_at(of, "name");

        if (!json_at(of, "machines"))
                return own && has_name(machines, own);
        return json_array_size(json_at(of, "machines")) > 0 ? has_name(machines, name_at(json_at(of, "machines"), 0))
                                                            : failed && has_name(machines, failed);
}

const json_t *fleet_class_of(const json_t *document, const json_t *row) {
        const json_t *classes = json_at(document, "fleet.classes");
        const char *name = json_text_at(row, "machine_class");

        for (size_t i = 0; i < json_array_size(classes); i++) {
                const json_t *class = json_array_get(classes, i);
                const char *own = json_text_at(class, "machine_class");

                if (name && own ? strcmp(own, name) == 0 : !name && !own && is_own_class(class, row))
                        return class;
        }
        return NULL;
}

const json_t *fleet_result(const json_t *document, const json_t *class) {
        const json_t *machines = json_at(document, "fleet.machines");

        for (size_t i = 0; i < json_array_size(machines); i++) {
                const json_t *machine = json_array_get(machines, i), *result = json_at(machine, "result");

                if (json_is_object(result) && (!class || fleet_class_of(document, machine) == class))
                        return result;
        }
        return NULL;
}

static bool is_side(const json_t *benchmark, const json_t *pair, const char *side) {
        const char *own = json_text_at(benchmark, "side");
        const bool renamed = strcmp(side, "old") == 0 && json_text_at(pair, "old_name");
        const bool moved = renamed && json_text_at(pair, "old_area");

        return own && strcmp(own, side) == 0 &&
               json_equal(json_object_get(benchmark, "name"), json_object_get(pair, renamed ? "old_name" : "name")) &&
               json_equal(json_object_get(benchmark, "area"), json_object_get(pair, moved ? "old_area" : "area")) &&
               json_equal(json_object_get(benchmark, "args"), json_object_get(pair, "args")) &&
               (!json_at(pair, "threads") || json_equal(json_at(benchmark, "threads"), json_at(pair, "threads"))) &&
               json_equal(json_object_get(benchmark, "machine_class"), json_object_get(pair, "machine_class"));
}

/* The times of @pair on @side; NULL where none or several benchmarks may be it. Borrowed. */
static json_t *find_side(const json_t *document, const json_t *pair, const char *side) {
        const json_t *benchmarks = json_at(document, "benchmarks");
        json_t *found = NULL;
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(benchmarks); i++)
                if (is_side(json_array_get(benchmarks, i), pair, side)) {
                        found = json_object_get(json_array_get(benchmarks, i), "time_ns");
                        n++;
                }
        return n == 1 ? found : NULL;
}

/* A copy of @pair with the times of its sides; a new reference, or NULL if memory ran out. */
static json_t *with_sides(const json_t *document, const json_t *pair) {
        json_t *old = find_side(document, pair, "old"), *new = find_side(document, pair, "new");
        _cleanup_(json_decrefp) json_t *copy = json_copy((json_t *)pair);

        if (!copy || (old && json_object_set(copy, "old", old) < 0) || (new &&json_object_set(copy, "new", new) < 0))
                return NULL;
        return take_pointer(copy);
}

/* Adds the rows of the class @class; NULL: of none that the document names. */
static int add_rows(const json_t *document, const json_t *class, json_t *rows) {
        const bool compares = fleet_compares(document);
        const json_t *all = json_at(document, compares ? "comparisons" : "benchmarks");

        for (size_t i = 0; i < json_array_size(all); i++) {
                json_t *row = json_array_get(all, i);

                if (fleet_class_of(document, row) != class)
                        continue;
                row = compares ? with_sides(document, row) : json_incref(row);
                if (!row || json_array_append_new(rows, row) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

int fleet_rows(const json_t *document, ViewSort sort, json_t **ret_rows) {
        _cleanup_(json_decrefp) json_t *sorted = json_copy((json_t *)document), *rows = json_array();
        const json_t *classes = json_at(document, "fleet.classes");
        int r = sorted && rows ? 0 : error_origin(-ENOMEM);

        if (r == 0 && sort != VIEW_SORT_NONE)
                r = report_sort(sorted, sort);
        for (size_t i = 0; r == 0 && i < json_array_size(classes); i++)
                r = add_rows(sorted, json_array_get(classes, i), rows);
        if (r == 0)
                r = add_rows(sorted, NULL, rows);
        if (r)
                return error_trace(r);
        *ret_rows = take_pointer(rows);
        return 0;
}

json_t *fleet_machine_row(const json_t *row, size_t index) {
        const json_t *machine = json_array_get(json_at(row, "machines"), index);

        return json_pack("{s:s, s:O?, s:O?, s:O?, s:o, s:{s:O?, s:O?, s:O?}}", "name",
                        name_at(json_at(row, "machines"), index), "processes", json_at(machine, "processes"), "odd",
                        json_at(machine, "odd"), TIME_UNIT_KEY, json_at(row, TIME_UNIT_KEY), "scaled",
                        json_boolean(json_flag_at(row, "scaled")), json_at(row, "ratio") ? "ratio" : "time_ns", "point",
                        json_at(machine, "point"), "low", json_at(machine, "low"), "high", json_at(machine, "high"));
}

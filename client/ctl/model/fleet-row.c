/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet-row.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/cell.h"
#include "ctl/model/result.h"
#include "ctl/model/sort.h"
#include "util/cleanup.h"
#include "util/error.h"

#define FLEET_COUNT_MAX 1e9 /* an untrusted file may contain anything */

bool fleet_is(const json_t *document) {
        return json_is_object(json_at(document, "fleet")) && json_is_array(json_at(document, "fleet.machines"));
}

size_t fleet_count(const json_t *document, const char *path) {
        double number;

        return json_number_at(document, path, &number) && number > 0 && number < FLEET_COUNT_MAX ? (size_t)number : 0;
}

size_t fleet_count_state(const json_t *document, const char *state) {
        const json_t *machines = json_at(document, "fleet.machines");
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                n += json_text_is(json_array_get(machines, i), "state", state);
        return n;
}

bool fleet_refuses_module(const json_t *machine) {
        return json_text_is(machine, "error.code", "bad-module");
}

static bool is_left_out(const json_t *machine) {
        return json_text_is(machine, "state", "lost") ||
               (json_text_is(machine, "state", "refused") && !fleet_refuses_module(machine) &&
                               !json_text_is(machine, "error.code", "cancelled"));
}

size_t fleet_count_left_out(const json_t *document) {
        const json_t *machines = json_at(document, "fleet.machines");
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(machines); i++)
                n += is_left_out(json_array_get(machines, i));
        return n;
}

/* ---- names */

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

/* ---- words */

void fleet_print_words(const json_t *row, const Times *times, FILE *out) {
        const char *machine = json_text_at(row, "failed.machine");
        const size_t n = json_array_size(json_at(row, "machines"));

        if (json_at(row, "failed"))
                fprintf(out, "%s%s%s", machine ? machine : "", machine ? ": " : "", row_failure_message(row));
        else if (!json_at(row, "over") && n > 0) {
                cell_print_machines_range(row, times, out);
                fprintf(out, " on %zu machine%s (not pooled)", n, n == 1 ? "" : "s");
        } else if (!json_at(row, "over"))
                fputs("no machine has a number", out);
}

/* ---- rows */

static bool has_name(const json_t *names, const char *name) {
        for (size_t i = 0; i < json_array_size(names); i++)
                if (strcmp(name_at(names, i), name) == 0)
                        return true;
        return false;
}

/* A machine with an unknown class is a separate class: @of is a row of it alone, or the machine. */
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
        const json_t *benchmarks = result_rows(document);
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
        const bool compares = result_compares(document);
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
        _cleanup_(json_decrefp) json_t *sorted = NULL, *rows = json_array();
        const json_t *classes = json_at(document, "fleet.classes");
        int r = rows ? sort_result(document, sort, &sorted) : error_origin(-ENOMEM);

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
        const char *name = name_at(json_at(row, "machines"), index);

        return json_pack("{s:s, s:s, s:O?, s:O?, s:O, s:{s:O?, s:O?, s:O?}}", "name", name, "machine", name,
                        "processes", json_at(machine, "processes"), "odd", json_at(machine, "odd"), "beneath", row,
                        json_at(row, "ratio") ? "ratio" : "time_ns", "point", json_at(machine, "point"), "low",
                        json_at(machine, "low"), "high", json_at(machine, "high"));
}

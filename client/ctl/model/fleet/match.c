/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet/match.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/result.h"
#include "ctl/model/row-number.h"
#include "util/cleanup.h"
#include "util/error.h"

/* Codes of benchmarks that gave no number without having failed. */
#define SKIPPED   "skipped"
#define CANCELLED "cancelled"

void fleet_rows_clear(FleetRows *rows) {
        for (size_t i = 0; i < rows->n; i++) {
                free(rows->rows[i].rows);
                free(rows->rows[i].skips);
        }
        free(rows->rows);
        *rows = (FleetRows){};
}

/* The key shared by the rows of one benchmark; @n counts equal rows on one machine. NULL if memory ran out. */
static char *key_of(const json_t *row, size_t n) {
        static const char *const members[] = { "side", "area", "name", "old_area", "old_name", "args", "threads" };
        _cleanup_(json_decrefp) json_t *key = json_array();

        for (size_t i = 0; i < N_ELEMENTS(members); i++) {
                json_t *value = (json_t *)json_at(row, members[i]);

                if (json_array_append_new(key, value ? json_incref(value) : json_null()) < 0)
                        return NULL;
        }
        if (json_array_append_new(key, json_integer((json_int_t)n)) < 0)
                return NULL;
        return json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
}

static double order_of(const json_t *row) {
        double index;

        if (!json_number_at(row, "index", &index))
                return 0;
        return index + (json_text_is(row, "side", "old") ? 0.5 : 0);
}

static int compare_rows(const void *left, const void *right) {
        const FleetRow *a = left, *b = right;

        if (a->order != b->order)
                return a->order < b->order ? -1 : 1;
        return (a->place > b->place) - (a->place < b->place);
}

/* ---- filling */

typedef struct Matching {
        const FleetMembers *members;
        size_t class_index;
        json_t *places; /* of each key, its place among the rows */
        bool *seen;     /* of each row, whether the machine at hand has it already */
        FleetRows rows;
} Matching;

static int matching_add(Matching *matching, const char *key, const json_t *row, FleetRow **ret_row) {
        const size_t n = matching->rows.n;
        FleetRow *rows = reallocarray(matching->rows.rows, n + 1, sizeof *rows);
        bool *seen;

        if (!rows)
                return error_origin(-ENOMEM);
        matching->rows.rows = rows;
        seen = reallocarray(matching->seen, n + 1, sizeof *seen);
        if (!seen)
                return error_origin(-ENOMEM);
        matching->seen = seen;
        rows[n] = (FleetRow){ .first = row, .class_index = matching->class_index, .order = order_of(row), .place = n };
        rows[n].rows = calloc(matching->members->n + 1, sizeof *rows[n].rows);
        rows[n].skips = calloc(matching->members->n + 1, sizeof *rows[n].skips);
        if (!rows[n].rows || !rows[n].skips ||
                        json_object_set_new(matching->places, key, json_integer((json_int_t)n)) < 0) {
                free(rows[n].rows);
                free(rows[n].skips);
                return error_origin(-ENOMEM);
        }
        seen[n] = false;
        matching->rows.n++;
        *ret_row = &rows[n];
        return 0;
}

/* Finds or makes the row that @row belongs to: the first that the machine at hand has not yet. */
static int matching_find(Matching *matching, const json_t *row, FleetRow **ret_row) {
        for (size_t n = 0;; n++) {
                _cleanup_(freep) char *key = key_of(row, n);
                const json_t *place = key ? json_object_get(matching->places, key) : NULL;

                if (!key)
                        return error_origin(-ENOMEM);
                if (!place)
                        return error_trace(matching_add(matching, key, row, ret_row));
                if (matching->seen[json_integer_value(place)])
                        continue;
                *ret_row = &matching->rows.rows[json_integer_value(place)];
                return 0;
        }
}

static bool has_code(const json_t *failed, const char *code) {
        return json_text_is(failed, "code", code);
}

bool fleet_row_failed(const json_t *row) {
        const json_t *failed = json_at(row, "failed");

        return failed && !has_code(failed, SKIPPED) && !has_code(failed, CANCELLED);
}

static void note_failure(FleetRow *found, const json_t *failed, const FleetMember *member, size_t index) {
        if (has_code(failed, SKIPPED)) {
                found->skips[index] = failed;
        } else if (!found->failed) {
                found->failed = failed;
                found->failed_on = member;
        }
}

static const json_t *failure_of(const json_t *result, const json_t *row, FleetList list) {
        const json_t *failed = NULL;

        if (list == FLEET_BENCHMARKS)
                return json_at(row, "failed");
        for (size_t i = 0; !failed && i < 2; i++)
                failed = json_at(result_side(result, row, i == 0 ? "new" : "old"), "failed");
        return failed;
}

static int matching_take(Matching *matching, size_t index, FleetList list) {
        const FleetMember *member = &matching->members->members[index];
        const json_t *rows = json_at(member->result, list == FLEET_BENCHMARKS ? "benchmarks" : "comparisons");
        const json_t *row;

        for (size_t i = 0; i < matching->rows.n; i++)
                matching->seen[i] = false;
        json_each(i, row, rows) {
                const json_t *failed = failure_of(member->result, row, list);
                FleetRow *found;
                int r;

                if (has_code(failed, CANCELLED) || (!member->counts && (!failed || has_code(failed, SKIPPED))))
                        continue;
                r = matching_find(matching, row, &found);
                if (r)
                        return error_trace(r);
                matching->seen[found - matching->rows.rows] = true;
                if (failed)
                        note_failure(found, failed, member, index);
                else
                        found->rows[index] = row;
        }
        return 0;
}

static bool same_member(const json_t *a, const char *member_of_a, const json_t *b, const char *member_of_b) {
        const json_t *of_a = json_at(a, member_of_a), *of_b = json_at(b, member_of_b);

        return of_a && of_b ? json_equal(of_a, of_b) : of_a == of_b;
}

/* True if @failure, of a benchmark, is of the benchmark or of a side of the comparison in @row. */
static bool is_failure_of(const json_t *failure, const json_t *row, FleetList list) {
        const bool old = list == FLEET_COMPARISONS && json_text_is(failure, "side", "old");

        return same_member(failure, "args", row, "args") && same_member(failure, "threads", row, "threads") &&
               same_member(failure, "area", row, old && json_at(row, "old_area") ? "old_area" : "area") &&
               same_member(failure, "name", row, old && json_at(row, "old_name") ? "old_name" : "name") &&
               (list == FLEET_COMPARISONS || same_member(failure, "side", row, "side"));
}

/* Failures of a machine that was lost later. Its class may be unknown: then they apply to the rows of every class. */
static void note_lost_failures(Matching *matching, size_t index, FleetList list) {
        const FleetMember *member = &matching->members->members[index];
        const json_t *failures = json_at(member->machine, "failures");
        const json_t *failure;

        json_each(i, failure, failures) {
                for (size_t j = 0; j < matching->rows.n; j++)
                        if (is_failure_of(failure, matching->rows.rows[j].first, list))
                                note_failure(&matching->rows.rows[j], failure, member, index);
        }
}

int fleet_rows_match(const FleetMembers *members, size_t class_index, FleetList list, FleetRows *ret_rows) {
        Matching matching = { .members = members, .class_index = class_index, .places = json_object() };
        int r = matching.places ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < members->n; i++)
                if (members->members[i].class_index == class_index || members->members[i].class_index == FLEET_NO_CLASS)
                        r = matching_take(&matching, i, list);
        for (size_t i = 0; r == 0 && i < members->n; i++)
                note_lost_failures(&matching, i, list);
        for (size_t i = 0; members->blamed && i < matching.rows.n; i++)
                if (!matching.rows.rows[i].failed)
                        note_failure(&matching.rows.rows[i], json_at(members->blamed->machine, "error"),
                                        members->blamed, (size_t)(members->blamed - members->members));
        json_decref(matching.places);
        free(matching.seen);
        if (r) {
                fleet_rows_clear(&matching.rows);
                return error_trace(r);
        }
        if (matching.rows.n > 0)
                qsort(matching.rows.rows, matching.rows.n, sizeof *matching.rows.rows, compare_rows);
        *ret_rows = matching.rows;
        return 0;
}

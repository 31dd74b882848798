/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/ask/explain.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchd/client.h"
#include "ctl/ask/connection.h"
#include "ctl/base/complain.h"
#include "ctl/base/exit.h"
#include "ctl/base/json-path.h"
#include "ctl/model/diff.h"
#include "ctl/model/instruction.h"
#include "ctl/model/result.h"
#include "util/cleanup.h"
#include "util/error.h"

/* ---- two lists of instructions */

/* Instructions in the form that is compared. */
typedef struct Texts {
        char **texts;
        size_t n;
} Texts;

static void texts_clear(Texts *texts) {
        for (size_t i = 0; i < texts->n; i++)
                free(texts->texts[i]);
        free(texts->texts);
}

/* @within: the addresses that count as inside. */
static int texts_make(const json_t *instructions, const json_t *within, Texts *texts) {
        texts->texts = calloc(json_array_size(instructions) + 1, sizeof *texts->texts);
        if (!texts->texts)
                return error_origin(-ENOMEM);
        for (; texts->n < json_array_size(instructions); texts->n++) {
                texts->texts[texts->n] = instruction_normalise(json_array_get(instructions, texts->n), within);
                if (!texts->texts[texts->n])
                        return error_origin(-ENOMEM);
        }
        return 0;
}

static json_t *index_json(size_t index) {
        return index == DIFF_NONE ? json_null() : json_integer((json_int_t)index);
}

/* The rows of the difference, as JSON, and if all are the same. NULL: memory ran out. */
static json_t *rows_json(const Texts *old, const Texts *new, bool *ret_same) {
        static const char *const marks[] = { [DIFF_SAME] = "same",
                [DIFF_CHANGED] = "changed",
                [DIFF_OLD] = "old",
                [DIFF_NEW] = "new" };
        _cleanup_(freep) DiffRow *rows = NULL;
        _cleanup_(json_decrefp) json_t *json = json_array();
        size_t n;

        if (!json || diff_lists((const char *const *)old->texts, old->n, (const char *const *)new->texts, new->n, &rows,
                                     &n) != 0)
                return NULL;
        *ret_same = true;
        for (size_t i = 0; i < n; i++) {
                *ret_same &= rows[i].mark == DIFF_SAME;
                if (json_array_append_new(json,
                                    json_pack("{s:s, s:o, s:o}", "mark", marks[rows[i].mark], "old",
                                                    index_json(rows[i].old), "new", index_json(rows[i].new))) < 0)
                        return NULL;
        }
        return take_pointer(json);
}

/* ---- one side */

/* The loop of the first benchmark of @inspection with its instructions; NULL: memory ran out. */
static json_t *side_new(const json_t *inspection) {
        const json_t *loop = json_at(json_array_get(result_rows(inspection), 0), "loop");
        const json_t *all = json_at(json_array_get(json_at(inspection, "functions"), 0), "instructions");
        json_t *instructions = json_array();

        for (size_t i = 0; loop && instructions && i < json_array_size(all); i++)
                if (instruction_in_loop(json_array_get(all, i)))
                        json_array_append(instructions, json_array_get(all, i));
        return json_join(json_pick(loop, "function", "start", "end", "line_offset", NULL),
                        json_pack("{s:o}", "instructions", instructions));
}

/* ---- called functions */

static bool is_part(const char *name, const char *whole) {
        const size_t n = strlen(whole);

        return strncmp(name, whole, n) == 0 && (name[n] == '\0' || name[n] == '.');
}

static const json_t *function_find(const json_t *inspection, const char *name) {
        const json_t *functions = json_at(inspection, "functions");

        for (size_t i = 1; i < json_array_size(functions); i++) {
                if (json_text_is(json_array_get(functions, i), "name", name))
                        return json_array_get(functions, i);
        }
        return NULL;
}

/* The range of addresses of @function, which its jumps stay in. NULL: memory ran out. */
static json_t *range_of(const json_t *function) {
        const json_t *instructions = json_at(function, "instructions");
        const json_t *last = json_array_get(instructions, json_array_size(instructions) - 1);

        return json_pack("{s:O?, s:f}", "start", json_at(function, "address"), "end",
                        json_number_or(last, "address", 0) + 1);
}

static int function_texts(const json_t *function, Texts *texts) {
        _cleanup_(json_decrefp) json_t *range = range_of(function);

        return range ? error_trace(texts_make(json_at(function, "instructions"), range, texts)) : error_origin(-ENOMEM);
}

static int functions_compare(const json_t *old, const json_t *new, bool *ret_same) {
        _cleanup_(texts_clear) Texts old_texts = {}, new_texts = {};
        int r;

        r = function_texts(old, &old_texts);
        if (r == 0)
                r = function_texts(new, &new_texts);
        if (r)
                return error_trace(r);
        *ret_same = old_texts.n == new_texts.n;
        for (size_t i = 0; *ret_same && i < new_texts.n; i++)
                *ret_same = strcmp(old_texts.texts[i], new_texts.texts[i]) == 0;
        return 0;
}

/* The functions of one name that the loops of both sides call, each with "same". NULL: memory ran out. */
static json_t *called_new(const json_t *old, const json_t *new) {
        const json_t *functions = json_at(new, "functions");
        const char *own = json_text_at(json_array_get(functions, 0), "name");
        _cleanup_(json_decrefp) json_t *called = json_array();

        for (size_t i = 1; called && i < json_array_size(functions); i++) {
                const json_t *function = json_array_get(functions, i);
                const char *name = json_text_at(function, "name");
                const json_t *other = name && !(own && is_part(name, own)) ? function_find(old, name) : NULL;
                bool same;

                if (!other)
                        continue;
                if (functions_compare(other, function, &same) != 0 ||
                                json_array_append_new(called, json_pack("{s:s, s:b}", "name", name, "same", same)) < 0)
                        return NULL;
        }
        return take_pointer(called);
}

/* ---- a pair */

json_t *explain_pair(const json_t *old, const json_t *new) {
        _cleanup_(json_decrefp) json_t *old_side = side_new(old), *new_side = side_new(new), *rows = NULL,
                                       *called = called_new(old, new);
        _cleanup_(texts_clear) Texts old_texts = {}, new_texts = {};
        bool same = false, found;

        if (!old_side || !new_side || !called ||
                        texts_make(json_at(old_side, "instructions"), old_side, &old_texts) != 0 ||
                        texts_make(json_at(new_side, "instructions"), new_side, &new_texts) != 0)
                return NULL;
        found = old_texts.n > 0 && new_texts.n > 0;
        rows = found ? rows_json(&old_texts, &new_texts, &same) : json_array();
        if (!rows)
                return NULL;
        return json_pack("{s:O, s:O, s:O, s:o, s:O}", "old", old_side, "new", new_side, "rows", rows, "same",
                        found ? json_boolean(same) : json_null(), "called", called);
}

/* ---- the result */

static int inspect_side(Connection *connection, const benchd_module *module, const char *area, const char *name,
                json_t **ret_inspection) {
        _cleanup_(freep) char *benchmark = NULL;
        uint64_t id;
        int r;

        if (asprintf(&benchmark, "%s/%s", area, name) < 0)
                return EXIT_USAGE;
        r = benchd_client_inspect(connection->client, module, benchmark, BENCHD_INSPECT_CODE, &id);
        return r ? connection_unsent(r) : connection_answer(connection, id, ret_inspection);
}

/* Rows of one benchmark differ in their arguments only. */
static bool is_explained(const json_t *pairs, const json_t *comparison) {
        const json_t *pair;

        json_each(i, pair, pairs) {
                if (json_equal(json_at(pair, "area"), json_at(comparison, "area")) &&
                                json_equal(json_at(pair, "name"), json_at(comparison, "name")))
                        return true;
        }
        return false;
}

static int add_pair(Connection *connection, const benchd_module *old, const benchd_module *new,
                const json_t *comparison, json_t *pairs) {
        _cleanup_(json_decrefp) json_t *old_code = NULL, *new_code = NULL;
        const char *area = json_text_or(comparison, "area", ""), *name = json_text_or(comparison, "name", "");
        const char *old_area = json_text_or(comparison, "old_area", area),
                   *old_name = json_text_or(comparison, "old_name", name);
        json_t *pair;
        int r;

        r = inspect_side(connection, old, old_area, old_name, &old_code);
        if (r == 0)
                r = inspect_side(connection, new, area, name, &new_code);
        if (r)
                return r;
        pair = explain_pair(old_code, new_code);
        if (!pair || json_array_append_new(pairs, pair) < 0 ||
                        json_object_set_new(pair, "area", json_string(area)) < 0 ||
                        json_object_set_new(pair, "name", json_string(name)) < 0 ||
                        json_object_set_new(pair, "old_area", json_string(old_area)) < 0 ||
                        json_object_set_new(pair, "old_name", json_string(old_name)) < 0) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        return 0;
}

int explain_add(Connection *connection, const benchd_module *old, const benchd_module *new, json_t *result) {
        const json_t *comparisons = result_comparisons(result);
        json_t *pairs = json_array();
        int r = 0;

        if (json_object_set_new(result, "explain", pairs) < 0) {
                complain("Out of memory.");
                return EXIT_USAGE;
        }
        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++)
                if (!is_explained(pairs, json_array_get(comparisons, i)))
                        r = add_pair(connection, old, new, json_array_get(comparisons, i), pairs);
        return r;
}

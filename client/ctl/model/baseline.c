/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/baseline.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/conditions.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/preloaded.h"
#include "ctl/model/result.h"
#include "ctl/model/row-number.h"
#include "stats/comparison.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/file-name.h"
#include "util/text-stream.h"
#include "words/warning.h"

/* ---- results in the file */

static bool is_result(const json_t *json) {
        return json_is_array(result_rows(json)) && json_text_at(json, "verdict") && !result_compares(json);
}

static size_t count_results(const json_t *baseline) {
        return json_is_array(baseline) ? json_array_size(baseline) : 1;
}

static const json_t *result_at(const json_t *baseline, size_t index) {
        return json_is_array(baseline) ? json_array_get(baseline, index) : baseline;
}

bool baseline_check(const json_t *json) {
        const size_t n = count_results(json);

        for (size_t i = 0; i < n; i++)
                if (!is_result(result_at(json, i)))
                        return false;
        return n > 0;
}

bool baseline_is_of_several_machines(const json_t *json) {
        const size_t n = count_results(json);

        for (size_t i = 0; i < n; i++)
                if (fleet_is(result_at(json, i)))
                        return true;
        return false;
}

/* "mybench.so" of any path. */
static const char *module_name(const json_t *result) {
        return file_name_of(json_text_or(result, "module.name", ""));
}

/* One result alone is of any module: its file may have another name now. */
static const json_t *find_result(const json_t *baseline, const json_t *result) {
        const size_t n = count_results(baseline);

        for (size_t i = 0; i < n; i++)
                if (n == 1 || strcmp(module_name(result_at(baseline, i)), module_name(result)) == 0)
                        return result_at(baseline, i);
        return NULL;
}

int baseline_differences(const json_t *baseline, const json_t *result, json_t **ret_clauses) {
        const json_t *was = find_result(baseline, result);

        return was ? conditions_compare(was, result, CONDITIONS_THEN_AND_NOW, ret_clauses) : BASELINE_E_NONE;
}

const char *baseline_remedy(const json_t *baseline, const json_t *result) {
        const json_t *was = find_result(baseline, result);

        return was ? conditions_remedy(was, result, CONDITIONS_THEN_AND_NOW) : NULL;
}

/* ---- rows */

static bool has_time(const json_t *row) {
        return !row_has_failed(row) && row_has_time(row);
}

/* A row of the result, and that of the baseline with a time; NULL: there is none. */
typedef struct Pair {
        const json_t *old;
        const json_t *new;
        bool unlike; /* times of different measurands, which are not compared */
} Pair;

typedef struct Pairs {
        Pair *pairs;
        Comparison *comparisons; /* one each; of no processes where the two were not compared */
        size_t n;
        size_t n_old; /* that have a row in the baseline */
} Pairs;

static void pairs_clear(Pairs *pairs) {
        free(pairs->pairs);
        free(pairs->comparisons);
}

static Pair pair_of(const json_t *was, const json_t *new) {
        const json_t *old = result_find(was, new);
        Pair pair = { .old = old && has_time(old) ? old : NULL, .new = new };

        pair.unlike = pair.old && has_time(new) && !row_has_like_time(old, new);
        return pair;
}

/* Compares the two times of @pair, each with the error that its interval is of, and with the steps of both clocks. */
static Comparison pair_compare(const Pair *pair, const json_t *was, const json_t *is, ComparisonRule rule) {
        Comparison comparison;
        RowNumber old, new;

        if (!pair->old || pair->unlike || !has_time(pair->new) || !row_number_time(was, pair->old, &old) ||
                        !row_number_time(is, pair->new, &new))
                return (Comparison){};
        rule.step = old.step + new.step;
        if (comparison_independent(&old.logs, old.n, &new.logs, new.n, &rule, &comparison) != 0 ||
                        !isfinite(comparison.high))
                return (Comparison){};
        return comparison;
}

static int pairs_find(const json_t *was, const json_t *is, const ComparisonRule *rule, Pairs *pairs) {
        const size_t n = json_array_size(result_rows(is));
        const json_t *row;

        pairs->pairs = calloc(n + 1, sizeof *pairs->pairs);
        pairs->comparisons = calloc(n + 1, sizeof *pairs->comparisons);
        if (!pairs->pairs || !pairs->comparisons)
                return error_origin(-ENOMEM);
        result_each_row(i, row, is) {
                pairs->pairs[i] = pair_of(was, row);
                pairs->comparisons[i] = pair_compare(&pairs->pairs[i], was, is, *rule);
                pairs->n_old += pairs->pairs[i].old != NULL;
                pairs->n++;
        }
        return error_trace(comparisons_adjust(pairs->comparisons, pairs->n, rule));
}

/* ---- the comparison as JSON */

/* A copy of @row for a side of the comparison number @index, from 1. */
static json_t *side_of(const json_t *row, const char *side, size_t index) {
        json_t *copy = json_copy((json_t *)row);

        if (!copy || json_object_set_new(copy, "side", json_string(side)) < 0 ||
                        json_object_set_new(copy, "index", json_integer((json_int_t)index)) < 0) {
                json_decref(copy);
                return NULL;
        }
        return copy;
}

/* The interval of a row; nulls where it was not compared. */
static json_t *interval_of(const Comparison *comparison) {
        const bool compared = comparison->difference.n > 0;

        return compared ? json_pack("{s:f, s:f, s:f}", "point", comparison->ratio, "low", comparison->low, "high",
                                          comparison->high)
                        : json_pack("{s:n, s:n, s:n}", "point", "low", "high");
}

/* The finding that a doubt about a row becomes, as in the daemon's own comparisons. */
static const WarningKind doubt_findings[] = {
        [COMPARISON_DOUBT_TOO_FEW] = WARNING_TOO_FEW_PAIRS,
        [COMPARISON_DOUBT_CHANCE] = WARNING_CHANCE_AMONG_ROWS,
        [COMPARISON_DOUBT_COARSE_CLOCK] = WARNING_COARSE_CLOCK,
        [COMPARISON_DOUBT_MARGIN] = WARNING_ACROSS_THE_MARGIN,
};

static json_t *finding_unlike(const Pair *pair) {
        const WarningWords *words = warning_words(WARNING_UNLIKE_TIMES);
        json_t *advice = json_sprintf(
                        "not comparable: the baseline's time is %s, this one is %s; measure again, or 'compare'",
                        row_time_words(pair->old), row_time_words(pair->new));

        return json_pack("[{s:s, s:s, s:o}]", "kind", words->kind, "note", words->note, "advice", advice);
}

static json_t *findings_of(const Pair *pair, const Comparison *comparison) {
        const ComparisonDoubt doubt = comparison_doubt(comparison);

        if (pair->unlike)
                return finding_unlike(pair);
        return doubt != COMPARISON_DOUBT_NONE
                               ? json_pack("[{s:s, s:n, s:s}]", "kind", warning_words(doubt_findings[doubt])->kind,
                                                 "note", "advice", warning_words(doubt_findings[doubt])->advice)
                               : json_array();
}

static json_t *warnings_of(const json_t *findings) {
        json_t *warnings = json_array();

        for (size_t i = 0; warnings && i < json_array_size(findings); i++)
                if (json_array_append(warnings, json_object_get(json_array_get(findings, i), "advice")) < 0) {
                        json_decref(warnings);
                        return NULL;
                }
        return warnings;
}

static json_t *row_of(const Pair *pair, const Comparison *comparison, double margin, size_t index) {
        const bool compared = comparison->difference.n > 0;
        json_t *findings = findings_of(pair, comparison), *args = json_object_get(pair->new, "args");

        return json_pack(
                        "{s:O?, s:O?, s:o, s:o, s:s?, s:o, s:n, s:f, s:n, s:o, s:o, s:n, s:n, s:n, s:o, s:i, s:o, s:o, s:n, s:n, s:n}",
                        "name", json_object_get(pair->new, "name"), "area", json_object_get(pair->new, "area"), "args",
                        args ? json_incref(args) : json_object(), "ratio", interval_of(comparison), "verdict",
                        compared ? comparison_verdict_word(comparison->verdict) : NULL, "mean_ratio",
                        interval_of(&(Comparison){}), "mean_verdict", "margin", margin, "detectable", "processes",
                        compared ? json_integer((json_int_t)comparison->difference.n) : json_null(), "p_value",
                        compared ? json_real(comparison->p_value) : json_null(), "processes_needed", "old_name",
                        "old_area", "warnings", warnings_of(findings), "index", (int)index, "findings", findings,
                        "confidence", compared ? json_real(ROW_NUMBER_CONFIDENCE) : json_null(), "end", "rounds",
                        "rounds_needed");
}

/* A row that the baseline lacks is there too, for conditions on all rows, but in no comparison. */
static int add_pairs(json_t *compared, const Pairs *pairs, double margin) {
        json_t *rows = json_array(), *sides = json_array();

        if (json_object_set_new(compared, "benchmarks", sides) < 0 ||
                        json_object_set_new(compared, "comparisons", rows) < 0)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < pairs->n; i++) {
                const Pair *pair = &pairs->pairs[i];

                if (json_array_append_new(sides, side_of(pair->new, "new", i + 1)) < 0)
                        return error_origin(-ENOMEM);
                if (!pair->old)
                        continue;
                if (json_array_append_new(sides, side_of(pair->old, "old", i + 1)) < 0 ||
                                json_array_append_new(rows, row_of(pair, &pairs->comparisons[i], margin, i + 1)) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/* Adds the names of the rows of @result that have no row, or with @timed none with a time, in @other, as @key. */
static int add_only(json_t *compared, const char *key, const json_t *result, const json_t *other, bool timed) {
        const json_t *row;
        json_t *names = json_array();

        if (json_object_set_new(compared, key, names) < 0)
                return error_origin(-ENOMEM);
        result_each_row(i, row, result) {
                const json_t *there = result_find(other, row);
                _cleanup_(freep) char *path = row_path(row);

                if (!path)
                        return error_origin(-ENOMEM);
                if (!(there && (!timed || has_time(there))) && json_array_append_new(names, json_string(path)) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/* The head that says what the old side is. */
static int add_head(json_t *compared, const json_t *was) {
        json_t *head = json_pack("{s:O?, s:O?, s:O?}", "run_id", json_object_get(was, "run_id"), "started_at",
                        json_object_get(was, "started_at"), "verdict", json_object_get(was, "verdict"));
        json_t *module = json_object_get(was, "module");

        if (!head || json_object_set_new(compared, "baseline", head) < 0 ||
                        (module && json_object_set(compared, "old_module", module) < 0) ||
                        json_object_set_new(compared, "complexity", json_array()) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

int baseline_compare(const json_t *baseline, const json_t *result, double margin, json_t **ret_compared) {
        const ComparisonRule rule = { .confidence = ROW_NUMBER_CONFIDENCE, .margin = margin };
        const json_t *was = find_result(baseline, result);
        _cleanup_(json_decrefp) json_t *compared = NULL;
        _cleanup_(pairs_clear) Pairs pairs = {};
        int r;

        if (!was)
                return BASELINE_E_NONE;
        if (!result_is_comparable(was, result))
                return BASELINE_E_OTHER;
        r = pairs_find(was, result, &rule, &pairs);
        if (r)
                return error_trace(r);
        if (pairs.n_old == 0)
                return BASELINE_E_NO_PAIRS;
        compared = json_copy((json_t *)result);
        if (!compared)
                return error_origin(-ENOMEM);
        r = add_head(compared, was);
        if (r == 0)
                r = add_pairs(compared, &pairs, margin);
        if (r == 0)
                r = add_only(compared, "only_old", was, result, false);
        if (r == 0)
                r = add_only(compared, "only_new", result, was, true);
        if (r)
                return error_trace(r);
        *ret_compared = take_pointer(compared);
        return 0;
}

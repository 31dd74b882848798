/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/trend.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/baseline.h"
#include "ctl/model/conditions.h"
#include "ctl/model/findings.h"
#include "ctl/model/log-time.h"
#include "ctl/model/result.h"
#include "ctl/model/row-filter.h"
#include "stats/drift.h"
#include "stats/series.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

json_t *trend_new(void) {
        return json_pack("{s:[]}", "benchmarks");
}

/* The old side of a comparison is another module's. */
bool trend_matches(const char *filter, const json_t *benchmark) {
        return !json_text_is(benchmark, "side", "old") && !row_is_empty_loop(benchmark) &&
               json_is_number(json_at(benchmark, "time_ns.point")) && row_filter_matches(filter, benchmark);
}

/* The row of @benchmark, which is made where there is none. The reference is borrowed; NULL if memory ran out. */
static json_t *trend_row(json_t *trend, const json_t *benchmark) {
        json_t *rows = json_object_get(trend, "benchmarks"), *row;
        size_t i;

        json_array_foreach(rows, i, row) {
                if (row_is_same(row, benchmark))
                        return row;
        }
        row = json_join(json_pick(benchmark, "area", "name", "args", "threads", NULL),
                        json_pack("{s:n, s:[], s:s, s:O?}", "drift", "runs", "ordered_by", "start", "title",
                                        row_is_command(benchmark) ? json_at(benchmark, "title") : NULL));
        return row && json_array_append_new(rows, row) == 0 ? row : NULL;
}

/* The member "conditions" is there until the runs are marked. */
static int trend_add_run(json_t *row, const json_t *result, const json_t *benchmark) {
        const char *unfit = findings_unfit_note(benchmark);
        const char *note = unfit                                        ? unfit
                           : findings_has(benchmark, WARNING_UNWATCHED) ? warning_words(WARNING_UNWATCHED)->note
                                                                        : NULL;
        json_t *run = json_join(json_pick(result, "run_id", "started_at", "comparability_key", "verdict", NULL),
                        json_pack("{s:O?, s:O?, s:O?, s:s?, s:n, s:[], s:n, s:o, s:o}", "module_name",
                                        json_at(result, "module.name"), "commit", json_at(result, "module.commit"),
                                        "measurand", json_at(benchmark, "measurand"), "note", note, "change",
                                        "differences", "remedy", "conditions", conditions_of(result), "time_ns",
                                        json_pick(json_at(benchmark, "time_ns"), "point", "low", "high", NULL)));

        return json_array_append_new(json_object_get(row, "runs"), run) == 0 ? 0 : error_origin(-ENOMEM);
}

int trend_add(json_t *trend, const json_t *result, const char *filter) {
        const json_t *benchmarks = result_rows(result);
        const json_t *benchmark;

        json_each(i, benchmark, benchmarks) {
                json_t *row;
                int r;

                if (!trend_matches(filter, benchmark))
                        continue;
                row = trend_row(trend, benchmark);
                r = row ? trend_add_run(row, result, benchmark) : error_origin(-ENOMEM);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* ---- marks */

/* Runs of one row whose times may be compared, the earliest first. */
typedef struct Kin {
        json_t **runs;
        SeriesRun *series;
        double *times_ns;
        size_t n;
} Kin;

static void kin_clear(Kin *kin) {
        free(kin->runs);
        free(kin->series);
        free(kin->times_ns);
}

static int kin_init(Kin *kin, size_t n_most) {
        kin->runs = calloc(n_most, sizeof(json_t *));
        kin->series = calloc(n_most, sizeof *kin->series);
        kin->times_ns = calloc(n_most, sizeof *kin->times_ns);
        return kin->runs && kin->series && kin->times_ns ? 0 : error_origin(-ENOMEM);
}

static bool has_like_conditions(const json_t *a, const json_t *b) {
        return json_equal(json_object_get(a, "comparability_key"), json_object_get(b, "comparability_key"));
}

static bool is_kin(const json_t *a, const json_t *b) {
        return has_like_conditions(a, b) && row_has_like_time(a, b);
}

/* Collects in @kin the runs of @runs (latest first) that are like the one at @first, and marks them in @gathered. */
static void kin_gather(Kin *kin, const json_t *runs, size_t first, bool *gathered) {
        kin->n = 0;
        for (size_t i = json_array_size(runs); i-- > first;) {
                json_t *run = json_array_get(runs, i);
                LogTime time;

                if (gathered[i] || !is_kin(run, json_array_get(runs, first)))
                        continue;
                gathered[i] = true;
                if (!log_time_of(json_at(run, "time_ns"), &time) || isnan(time.half))
                        continue;
                kin->runs[kin->n] = run;
                kin->series[kin->n] = (SeriesRun){ time.log, time.half };
                kin->times_ns[kin->n++] = exp(time.log);
        }
}

static int kin_mark(const Kin *kin, double margin) {
        static const char *const marks[] = { [SERIES_FASTER] = "faster", [SERIES_SLOWER] = "slower" };
        const SeriesRule rule = {
                .confidence = TREND_CONFIDENCE,
                .margin = margin,
                .margin_few = fmax(margin, BASELINE_MARGIN),
        };

        for (size_t i = 0; i < kin->n; i++) {
                const SeriesMark mark = series_mark(kin->series, i + 1, &rule);

                if (mark != SERIES_NONE && json_object_set_new(kin->runs[i], "change", json_string(marks[mark])) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/* Notes in @run how its conditions differ from those of the run @before. */
static int run_explain(json_t *run, const json_t *before) {
        const json_t *was = json_object_get(before, "conditions"), *is = json_object_get(run, "conditions");
        const char *remedy = conditions_remedy(was, is, CONDITIONS_THEN_AND_NOW);
        json_t *clauses;
        int r;

        r = conditions_compare(was, is, CONDITIONS_THEN_AND_NOW, &clauses);
        if (r)
                return error_trace(r);
        if (json_object_set_new(run, "differences", clauses) < 0 ||
                        (remedy && json_array_size(clauses) == 1 &&
                                        json_object_set_new(run, "remedy", json_string(remedy)) < 0))
                return error_origin(-ENOMEM);
        return 0;
}

/* A run that is unlike all runs before it can have no mark, so it is explained. */
static int row_explain(json_t *row) {
        const json_t *runs = json_at(row, "runs");
        const size_t n = json_array_size(runs);
        int r = 0;

        for (size_t i = 0; r == 0 && i + 1 < n; i++) {
                json_t *run = json_array_get(runs, i);
                bool like = false;

                for (size_t k = i + 1; k < n && !like; k++)
                        like = has_like_conditions(run, json_array_get(runs, k));
                if (!like)
                        r = run_explain(run, json_array_get(runs, i + 1));
        }
        for (size_t i = 0; i < n; i++)
                json_object_del(json_array_get(runs, i), "conditions");
        return error_trace(r);
}

/* Notes the drift of @kin in @row, where there are runs enough. */
static int kin_drift(const Kin *kin, double margin, json_t *row) {
        Drift drift;
        bool named;
        int r;

        r = drift_of(kin->times_ns, kin->n, &drift);
        if (r == DRIFT_E_TOO_FEW)
                return 0;
        if (r)
                return error_trace(r);
        named = drift.p_value < 1 - TREND_CONFIDENCE && fabs(log1p(drift.change)) > log1p(margin);
        if (json_object_set_new(row, "drift",
                            json_pack("{s:f, s:f, s:i, s:s?}", "change", drift.change, "p_value", drift.p_value, "runs",
                                            (int)kin->n, "direction",
                                            !named             ? NULL
                                            : drift.change > 0 ? "slower"
                                                               : "faster")) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

static int row_mark(json_t *row, double margin) {
        const json_t *runs = json_at(row, "runs");
        const size_t n = json_array_size(runs);
        _cleanup_(freep) bool *gathered = calloc(n, sizeof *gathered);
        _cleanup_(kin_clear) Kin kin = {};
        int r;

        if (!gathered)
                return error_origin(-ENOMEM);
        r = kin_init(&kin, n);
        for (size_t i = 0; r == 0 && i < n; i++) {
                if (gathered[i])
                        continue;
                kin_gather(&kin, runs, i, gathered);
                r = kin_mark(&kin, margin);
                if (r == 0 && i == 0)
                        r = kin_drift(&kin, margin, row);
        }
        return error_trace(r);
}

/* ---- the order of commits */

static int compare_by_commit(const void *a, const void *b) {
        json_t *const *first = a, *const *second = b;
        const int by_commit = strcmp(json_text_or(*second, "commit.committed_at", ""),
                        json_text_or(*first, "commit.committed_at", ""));

        return by_commit ? by_commit
                         : strcmp(json_text_or(*second, "started_at", ""), json_text_or(*first, "started_at", ""));
}

/* Puts the runs of @row in the order of their commits, if each has the time of one: older commits may have been measured later. */
static int row_order(json_t *row) {
        const json_t *runs = json_at(row, "runs");
        const size_t n = json_array_size(runs);
        _cleanup_(freep) json_t **order = calloc(n + 1, sizeof *order);
        _cleanup_(json_decrefp) json_t *ordered = json_array();
        json_t *run;

        if (!order || !ordered)
                return error_origin(-ENOMEM);
        json_each(i, run, runs) {
                if (!json_text_at(run, "commit.committed_at"))
                        return 0;
                order[i] = run;
        }
        qsort(order, n, sizeof *order, compare_by_commit);
        for (size_t i = 0; i < n; i++)
                if (json_array_append(ordered, order[i]) < 0)
                        return error_origin(-ENOMEM);
        if (json_object_set(row, "runs", ordered) < 0 ||
                        json_object_set_new(row, "ordered_by", json_string("commit")) < 0)
                return error_origin(-ENOMEM);
        return 0;
}

int trend_mark(json_t *trend, double margin) {
        const json_t *rows = result_rows(trend);
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(rows); i++) {
                r = row_order(json_array_get(rows, i));
                if (r == 0)
                        r = row_mark(json_array_get(rows, i), margin);
                if (r == 0)
                        r = row_explain(json_array_get(rows, i));
        }
        return error_trace(r);
}

/* ---- words */

const char *trend_note(const json_t *run) {
        if (json_text_at(run, "note"))
                return json_text_at(run, "note");
        if (row_is_shared(run))
                return warning_words(WARNING_UNFIT_SHARED_CORE)->note;
        return json_array_size(json_at(run, "differences")) > 0 ? "other conditions" : "";
}

/* Tells of the conditions of @run, once for all benchmarks of its job. */
static int run_tell(const json_t *run, json_t *told, int (*tell)(void *context, const char *sentence), void *context) {
        const json_t *clause, *differences = json_at(run, "differences");
        const char *job = json_text_or(run, "run_id", ""), *remedy = json_text_at(run, "remedy");
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *out;

        if (json_array_size(differences) == 0 || json_object_get(told, job))
                return 0;
        out = text_stream_open(&text);
        fprintf(out, "job %.*s has no mark, since the run before it was measured under other conditions: ",
                        JOB_ID_SHOWN, job);
        json_each(i, clause, differences)
                fprintf(out, "%s%s", i > 0 ? "; " : "", json_string_value(clause));
        if (remedy)
                fprintf(out, ". %s", remedy);
        if (text_stream_close(&text) != 0 || json_object_set_new(told, job, json_true()) < 0)
                return error_origin(-ENOMEM);
        return error_trace(tell(context, text.text));
}

int trend_tell_conditions(const json_t *trend, int (*tell)(void *context, const char *sentence), void *context) {
        _cleanup_(json_decrefp) json_t *told = json_object();
        const json_t *row, *run;
        int r = told ? 0 : error_origin(-ENOMEM);

        result_each_row(i, row, trend) {
                json_each(k, run, json_at(row, "runs"))
                        if (r == 0)
                                r = run_tell(run, told, tell, context);
        }
        return error_trace(r);
}

bool trend_print_drift(const json_t *row, FILE *out) {
        const char *direction = json_text_at(row, "drift.direction");
        double change, p_value, n;
        char text[UNIT_TEXT_MAX];

        if (!direction || !json_number_at(row, "drift.change", &change) ||
                        !json_number_at(row, "drift.p_value", &p_value) || !json_number_at(row, "drift.runs", &n))
                return false;
        fprintf(out, "drift: %s %s over %.0f runs (p ", unit_share(fabs(change), text), direction, n);
        fprintf(out, p_value < 0.0001 ? "< 0.0001)" : "%.4f)", p_value);
        return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/fleet/pool.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/findings.h"
#include "ctl/model/fleet/match.h"
#include "ctl/model/fleet/members.h"
#include "ctl/model/fleet/pooled.h"
#include "ctl/model/fleet/warnings.h"
#include "util/cleanup.h"
#include "util/error.h"

/* A row of the document. */
typedef struct Line {
        const FleetRow *row;
        Pooled number; /* time, or ratio */
        Pooled cycles;
        Comparison comparison; /* over several machines, else of none: that of one is as it says itself */
} Line;

/* The rows of all classes, grouped by class. */
typedef struct Lines {
        FleetRows *classes;
        size_t n_classes;
        Line *lines;
        size_t n;
} Lines;

typedef struct Pooling {
        FleetMembers members;
        FleetPolicy policy;
        FleetWarnings noted;
        Lines benchmarks;
        Lines comparisons;
} Pooling;

static void lines_clear(Lines *lines) {
        for (size_t i = 0; i < lines->n; i++) {
                pooled_clear(&lines->lines[i].number);
                pooled_clear(&lines->lines[i].cycles);
        }
        free(lines->lines);
        for (size_t i = 0; i < lines->n_classes; i++)
                fleet_rows_clear(&lines->classes[i]);
        free(lines->classes);
}

static void pooling_clear(Pooling *pooling) {
        lines_clear(&pooling->benchmarks);
        lines_clear(&pooling->comparisons);
        fleet_warnings_clear(&pooling->noted);
        fleet_members_clear(&pooling->members);
}

bool fleet_result_is_whole(const json_t *result) {
        return json_text_at(result, "verdict") && !json_flag_at(result, "cancelled");
}

/* ---- numbers */

static int lines_match(const FleetMembers *members, FleetList list, Lines *lines) {
        size_t n = 0;
        int r = 0;

        lines->classes = calloc(members->n_classes + 1, sizeof *lines->classes);
        if (!lines->classes)
                return error_origin(-ENOMEM);
        for (; r == 0 && lines->n_classes < members->n_classes; lines->n_classes++) {
                r = fleet_rows_match(members, lines->n_classes, list, &lines->classes[lines->n_classes]);
                n += lines->classes[lines->n_classes].n;
        }
        if (r)
                return error_trace(r);
        lines->lines = calloc(n + 1, sizeof *lines->lines);
        if (!lines->lines)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < lines->n_classes; i++)
                for (size_t j = 0; j < lines->classes[i].n; j++)
                        lines->lines[lines->n++].row = &lines->classes[i].rows[j];
        return 0;
}

static int pool_benchmarks(Pooling *pooling) {
        Lines *lines = &pooling->benchmarks;
        int r;

        r = lines_match(&pooling->members, FLEET_BENCHMARKS, lines);
        for (size_t i = 0; r == 0 && i < lines->n; i++) {
                Line *line = &lines->lines[i];

                r = pooled_make(&pooling->members, line->row, row_number_time, FLEET_MARGIN, &pooling->policy,
                                &line->number);
                if (r == 0)
                        r = pooled_make(&pooling->members, line->row, row_number_cycles, FLEET_MARGIN, &pooling->policy,
                                        &line->cycles);
        }
        return error_trace(r);
}

/* Compares each row by the means over several machines, and adjusts all in the document for their number, whatever their classes. */
static int compare_lines(Lines *lines) {
        _cleanup_(freep) Comparison *rows = calloc(lines->n + 1, sizeof *rows);
        ComparisonRule rule = { .confidence = FLEET_CONFIDENCE };
        int r;

        if (!rows)
                return error_origin(-ENOMEM);
        for (size_t i = 0; i < lines->n; i++) {
                rule.margin = lines->lines[i].number.margin;
                if (isfinite(lines->lines[i].number.mean.error))
                        rows[i] = pooled_comparison(&lines->lines[i].number, &rule);
        }
        r = comparisons_adjust(rows, lines->n, &rule);
        for (size_t i = 0; i < lines->n; i++)
                lines->lines[i].comparison = rows[i];
        return error_trace(r);
}

static int pool_comparisons(Pooling *pooling) {
        Lines *lines = &pooling->comparisons;
        int r;

        r = lines_match(&pooling->members, FLEET_COMPARISONS, lines);
        for (size_t i = 0; r == 0 && i < lines->n; i++)
                r = pooled_make(&pooling->members, lines->lines[i].row, row_number_ratio,
                                json_number_or(lines->lines[i].row->first, "margin", FLEET_MARGIN), &pooling->policy,
                                &lines->lines[i].number);
        return r ? error_trace(r) : error_trace(compare_lines(lines));
}

/* ---- warnings */

/* Machines of the class that count and have no number of @line, where others have one. */
static int note_missing(Pooling *pooling, const Line *line) {
        const FleetMembers *members = &pooling->members;
        const Pooled *number = &line->number;
        int r = 0;

        for (size_t i = 0, k = 0; r == 0 && i < members->n; i++) {
                const FleetMember *member = &members->members[i];

                if (k < number->n && number->entries[k].member == member)
                        k++;
                else if (member->counts && !members->cancelled && member->class_index == line->row->class_index &&
                                number->n > 0 && !line->row->failed)
                        r = fleet_warnings_note(&pooling->noted,
                                        line->row->skips[i] ? FLEET_WARNING_SKIPPED_ROW : FLEET_WARNING_MISSING_ROW,
                                        member->name, line->row->first, json_text_at(line->row->skips[i], "message"));
        }
        return error_trace(r);
}

static int note_line(Pooling *pooling, const Line *line) {
        _cleanup_(freep) char *class = fleet_class_words(&pooling->members.classes[line->row->class_index]);
        const Pooled *number = &line->number;
        int r;

        if (!class)
                return error_origin(-ENOMEM);
        r = note_missing(pooling, line);
        if (r == 0 && number->has_no_logs && !line->row->failed)
                r = fleet_warnings_note(&pooling->noted, FLEET_WARNING_NO_LOGARITHM, class, line->row->first, NULL);
        if (r == 0 && number->has_spread && number->spread.odd != MACHINES_NONE)
                r = fleet_warnings_note(&pooling->noted, FLEET_WARNING_ODD_MACHINE,
                                number->entries[number->spread.odd].member->name, line->row->first, NULL);
        else if (r == 0 && number->has_spread && number->spread.differ)
                r = fleet_warnings_note(&pooling->noted, FLEET_WARNING_MACHINES_DIFFER, class, line->row->first, NULL);
        return error_trace(r);
}

static int note_lines(Pooling *pooling, const Lines *lines) {
        int r = 0;

        for (size_t i = 0; r == 0 && i < lines->n; i++)
                r = note_line(pooling, &lines->lines[i]);
        return error_trace(r);
}

/* ---- rows as JSON */

/* A row in which all machines skipped the benchmark says so as a machine's does. */
static json_t *failed_json(const FleetMembers *members, const Line *line) {
        const json_t *failed = line->row->failed;
        const FleetMember *on = line->row->failed_on;

        for (size_t i = 0; !failed && line->number.n == 0 && i < members->n; i++) {
                failed = line->row->skips[i];
                on = &members->members[i];
        }
        if (!failed)
                return json_null();
        return json_pack("{s:s?, s:s?, s:s}", "code", json_text_at(failed, "code"), "message",
                        json_text_at(failed, "message"), "machine", on->name);
}

static json_t *copied(const json_t *row, const char *member) {
        json_t *value = json_object_get(row, member);

        return value ? json_incref(value) : json_null();
}

static json_t *class_json(const Pooling *pooling, const Line *line) {
        const char *name = pooling->members.classes[line->row->class_index].name;

        return name ? json_string(name) : json_null();
}

/* The precision that was asked for, or that beyond which an interval is called wide. */
static double wanted_precision(const Line *line) {
        const json_t *result = line->number.n > 0 ? line->number.entries[0].member->result : NULL;
        const double precision = json_number_or(result, "plan.precision", 0);

        return precision > 0 ? precision : FLEET_WIDE;
}

/* The fields that rows of both kinds have. */
static int add_common(json_t *row, const Pooling *pooling, const Line *line, size_t needed) {
        const struct {
                const char *name;
                json_t *value;
        } fields[] = {
                { "machine_class", class_json(pooling, line) },
                { "over", pooled_over_json(&line->number) },
                { "machines", pooled_machines_json(&line->number) },
                { "variance", pooled_variance_json(&line->number) },
                { "heterogeneity_p", pooled_heterogeneity_json(&line->number) },
                { "machines_needed", needed > 0 ? json_integer((json_int_t)needed) : json_null() },
                { "failed", failed_json(&pooling->members, line) },
        };
        int r = 0;

        for (size_t i = 0; i < N_ELEMENTS(fields); i++)
                if (json_object_set_new(row, fields[i].name, fields[i].value) < 0)
                        r = -ENOMEM;
        return r ? error_origin(r) : 0;
}

/* Cycles are reported for the machines behind the time, or not at all: the core of one may not count them. */
static json_t *cycles_json(const Line *line) {
        const bool same = line->cycles.n == line->number.n && line->cycles.over == line->number.over;

        return pooled_interval_json(same ? &line->cycles : &(Pooled){ .interval = { NAN, NAN, NAN } });
}

static json_t *benchmark_json(const Pooling *pooling, const Line *line) {
        const json_t *first = line->row->first;
        _cleanup_(json_decrefp) json_t *row =
                        json_join(json_pick(first, "area", "name", "title", "args", "threads", "side", NULL),
                                        json_pack("{s:o, s:o}", "time_ns", pooled_interval_json(&line->number),
                                                        "cycles", cycles_json(line)));

        if (!row || add_common(row, pooling, line, pooled_machines_needed(&line->number, wanted_precision(line))))
                return NULL;
        return take_pointer(row);
}

/* True if a machine's core was shared in too many turns: the ratio may be wrong by a factor of two, so the machine has no verdict. */
static bool is_beside_neighbour(const Line *line) {
        for (size_t i = 0; i < line->number.n; i++)
                if (findings_has(line->number.entries[i].row, WARNING_UNFIT_SHARED_CORE))
                        return true;
        return false;
}

static bool is_compared(const Line *line) {
        return line->comparison.difference.n > 0;
}

static json_t *verdict_json(const Line *line) {
        if (line->number.over == POOLED_NONE)
                return json_null();
        if (is_beside_neighbour(line))
                return json_string(comparison_verdict_word(COMPARISON_UNRESOLVED));
        if (is_compared(line))
                return json_string(comparison_verdict_word(line->comparison.verdict));
        return line->number.n == 1 ? copied(line->number.entries[0].row, "verdict") : json_null();
}

static json_t *p_json(const Line *line) {
        if (is_compared(line))
                return pooled_number_json(line->comparison.p_value);
        return line->number.over != POOLED_NONE && line->number.n == 1 ? copied(line->number.entries[0].row, "p_value")
                                                                       : json_null();
}

/* How many machines would settle an unresolved row; 0 where that is unknown, with a warning where none would. */
static int machines_to_settle(Pooling *pooling, Line *line, size_t *ret_n) {
        const ComparisonRule rule = {
                .confidence = FLEET_CONFIDENCE,
                .margin = line->number.margin,
                .step = line->number.step,
        };
        const ComparisonDoubt doubt = comparison_doubt(&line->comparison);
        size_t n;

        *ret_n = 0;
        if (!is_compared(line) || doubt == COMPARISON_DOUBT_NONE)
                return 0;
        if (doubt == COMPARISON_DOUBT_CHANCE)
                return error_trace(fleet_warnings_note(&pooling->noted, FLEET_WARNING_CHANCE_AMONG_ROWS, "",
                                line->row->first, NULL));
        if (line->number.over != POOLED_MACHINES || is_beside_neighbour(line))
                return 0;
        comparison_foresee(&line->comparison, &rule);
        n = line->comparison.processes_needed;
        if (n > FLEET_MACHINES_LIMIT)
                return error_trace(fleet_warnings_note(&pooling->noted, FLEET_WARNING_UNDECIDABLE, "", line->row->first,
                                NULL));
        *ret_n = n;
        return 0;
}

static json_t *comparison_json(Pooling *pooling, Line *line) {
        const json_t *first = line->row->first;
        _cleanup_(json_decrefp) json_t *row = json_join(
                        json_pick(first, "area", "name", "old_area", "old_name", "args", "threads", NULL),
                        json_pack("{s:o, s:o, s:f, s:o}", "ratio", pooled_interval_json(&line->number), "verdict",
                                        verdict_json(line), "margin", line->number.margin, "p_value", p_json(line)));
        size_t needed;

        if (!row || machines_to_settle(pooling, line, &needed) || add_common(row, pooling, line, needed))
                return NULL;
        return take_pointer(row);
}

static json_t *rows_json(Pooling *pooling, FleetList list) {
        const Lines *lines = list == FLEET_BENCHMARKS ? &pooling->benchmarks : &pooling->comparisons;
        _cleanup_(json_decrefp) json_t *rows = json_array();

        for (size_t i = 0; i < lines->n; i++)
                if (json_array_append_new(rows, list == FLEET_BENCHMARKS
                                                                ? benchmark_json(pooling, &lines->lines[i])
                                                                : comparison_json(pooling, &lines->lines[i])) < 0)
                        return NULL;
        return take_pointer(rows);
}

/* ---- the head */

static json_t *classes_json(const FleetMembers *members) {
        _cleanup_(json_decrefp) json_t *classes = json_array();

        for (size_t i = 0; i < members->n_classes; i++) {
                const FleetClass *class = &members->classes[i];
                json_t *names = json_array();

                for (size_t j = 0; j < members->n; j++)
                        if (members->members[j].counts && members->members[j].class_index == i &&
                                        json_array_append_new(names, json_string(members->members[j].name)) < 0) {
                                json_decref(names);
                                return NULL;
                        }
                if (json_array_append_new(classes, json_pack("{s:s?, s:s?, s:o}", "machine_class", class->name, "brand",
                                                                   class->brand, "machines", names)) < 0)
                        return NULL;
        }
        return take_pointer(classes);
}

/* As a result has it: JSON's integers end at 2^63. */
static json_t *seed_json(uint64_t seed) {
        return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_real((double)seed);
}

static json_t *fleet_json(const FleetRun *run, const Pooling *pooling) {
        return json_pack("{s:s?, s:o, s:I, s:I, s:I, s:o, s:O}", "run_id", run->run_id, "seed", seed_json(run->seed),
                        "asked", (json_int_t)run->asked, "measured", (json_int_t)pooling->members.n_counting,
                        "min_machines", (json_int_t)pooling->policy.min_machines, "classes",
                        classes_json(&pooling->members), "machines", run->machines);
}

static size_t count_failed(const Pooling *pooling) {
        size_t n = 0;

        for (size_t i = 0; i < pooling->benchmarks.n; i++)
                n += pooling->benchmarks.lines[i].row->failed != NULL;
        return n;
}

static size_t count_verdict(const FleetMembers *members, const char *verdict) {
        size_t n = 0;

        for (size_t i = 0; i < members->n; i++)
                n += members->members[i].counts && json_text_is(members->members[i].result, "verdict", verdict);
        return n;
}

/* True if a class has no number, since it has too few machines. */
static bool lacks_machines(const Pooling *pooling) {
        const FleetMembers *members = &pooling->members;

        for (size_t i = 0; i < members->n_classes; i++)
                if (fleet_policy_is_strict(&pooling->policy, members, i) &&
                                members->classes[i].n < pooling->policy.min_machines)
                        return true;
        return false;
}

/* As of one machine: failed if no benchmark has a number, partial if some lack one. */
static const char *verdict_of(const Pooling *pooling) {
        const FleetMembers *members = &pooling->members;
        const size_t n_failed = count_failed(pooling);

        if (members->cancelled && !members->blamed)
                return "partial";
        if (members->n_counting == 0 || members->blamed || (n_failed > 0 && n_failed == pooling->benchmarks.n))
                return "failed";
        if (members->n_counting < members->n || n_failed > 0 || lacks_machines(pooling))
                return "partial";
        if (count_verdict(members, "unfit") > 0)
                return "unfit";
        if (count_verdict(members, "cannot-tell") > 0)
                return "cannot-tell";
        return count_verdict(members, "skipped") == members->n ? "skipped" : "fit";
}

/* ---- all */

static void policy_make(const FleetRun *run, const FleetMembers *members, FleetPolicy *policy) {
        const size_t usual = run->asked < MACHINES_N_MIN ? run->asked : MACHINES_N_MIN;

        *policy = (FleetPolicy){
                .min_machines = run->min_machines > 0 ? run->min_machines : usual,
                .named = run->min_machines > 0,
                .none = members->cancelled,
        };
}

static int pooling_make(const FleetRun *run, Pooling *pooling) {
        int r;

        r = fleet_members_read(run->machines, &pooling->members);
        if (r == 0)
                r = fleet_warnings_new(&pooling->noted);
        if (r)
                return error_trace(r);
        policy_make(run, &pooling->members, &pooling->policy);
        r = pool_benchmarks(pooling);
        if (r == 0)
                r = pool_comparisons(pooling);
        if (r)
                return error_trace(r);
        /* A comparison's rows are its ratios: machines that differ in their times alone need no warning there. */
        pooling->noted.n_rows = pooling->comparisons.n > 0 ? pooling->comparisons.n : pooling->benchmarks.n;
        return error_trace(
                        note_lines(pooling, pooling->comparisons.n > 0 ? &pooling->comparisons : &pooling->benchmarks));
}

int fleet_pool(const FleetRun *run, json_t **ret_document) {
        _cleanup_(pooling_clear) Pooling pooling = {};
        _cleanup_(json_decrefp) json_t *benchmarks = NULL, *comparisons = NULL, *warnings = NULL;
        json_t *document;
        int r;

        r = pooling_make(run, &pooling);
        if (r)
                return error_trace(r);
        benchmarks = rows_json(&pooling, FLEET_BENCHMARKS);
        comparisons = rows_json(&pooling, FLEET_COMPARISONS);
        if (!benchmarks || !comparisons)
                return error_origin(-ENOMEM);
        r = fleet_warnings_write(&pooling.noted, &pooling.members, &pooling.policy, &warnings);
        if (r)
                return error_trace(r);
        document = json_pack("{s:o, s:s?, s:s, s:O, s:O, s:O}", "fleet", fleet_json(run, &pooling), "started_at",
                        run->started_at, "verdict", verdict_of(&pooling), "warnings", warnings, "benchmarks",
                        benchmarks, "comparisons", comparisons);
        if (!document)
                return error_origin(-ENOMEM);
        *ret_document = document;
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Below the table of several machines: findings, each once; warnings of the run, which name the machines left out and the odd ones;
 * warnings of the machines, each once with all its machines; and the verdict.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/cell.h"
#include "ctl/model/findings.h"
#include "ctl/model/fleet-row.h"
#include "ctl/model/result.h"
#include "ctl/model/rows.h"
#include "ctl/model/view.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/text-stream.h"

#define NAMES_MOST 6u /* machines that a sentence names */

static const json_t *rows_of(const json_t *document) {
        return json_at(document, result_compares(document) ? "comparisons" : "benchmarks");
}

/* ---- findings */

static int tell_needed(const json_t *document, FindingTake take, void *where) {
        const char *words = result_compares(document) ? "settle what is unresolved" : "narrow the wide intervals";
        size_t n;
        const double most = findings_most(rows_of(document), "machines_needed", &n);
        char text[128];

        if (n == 0)
                return 0;
        snprintf(text, sizeof text, "%.0f machines of a class would %s (%zu row%s)", most, words, n, n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

/* The warnings name them. */
static int tell_left_out(const json_t *document, FindingTake take, void *where) {
        const size_t n = fleet_count_left_out(document);

        if (n == 0)
                return 0;
        return error_trace(take(where, n == 1 ? "a machine is left out: repeat the run, or omit it from --host"
                                              : "machines are left out: repeat the run, or omit them from --host"));
}

static void print_name_on(const json_t *row, FILE *out) {
        const char *machine = json_text_at(row, "on");

        cell_path(NULL, row, NULL, NULL, out);
        fprintf(out, " on %s", machine ? machine : "?");
}

/* True if some number holds for all machines of a class, not only for the measured ones. */
static bool is_over_machines(const json_t *document) {
        const json_t *rows = rows_of(document);

        for (size_t i = 0; i < json_array_size(rows); i++) {
                const char *over = json_text_at(json_array_get(rows, i), "over");

                if (over && strcmp(over, "machines") == 0)
                        return true;
        }
        return false;
}

/*
 * A machine's finding that another one replaces: more machines, rather than more processes, narrow or settle it; and a cancelled run is
 * reported once.
 */
static bool is_superseded(const json_t *finding, bool over_machines) {
        return finding_is(finding, WARNING_CANCELLED) ||
               (over_machines && (finding_is(finding, WARNING_WIDE_INTERVAL) ||
                                                 finding_is(finding, WARNING_UNDECIDABLE)));
}

/* A copy of @row with the name of its machine, and without the findings that are superseded; NULL where memory ran out. */
static json_t *own_row(const json_t *row, json_t *machine_name, bool over_machines) {
        const json_t *findings = json_at(row, "findings");
        _cleanup_(json_decrefp) json_t *copy = json_copy((json_t *)row);
        json_t *kept = json_array();
        int r = 0;

        for (size_t i = 0; i < json_array_size(findings); i++)
                if (!is_superseded(json_array_get(findings, i), over_machines))
                        r |= json_array_append(kept, json_array_get(findings, i));
        r |= json_object_set_new(copy, "findings", kept);
        r |= json_object_set(copy, "on", machine_name);
        return r ? NULL : take_pointer(copy);
}

static int add_own_rows(const json_t *machine, bool over_machines, json_t *rows, bool *calm) {
        const json_t *result = json_at(machine, "result");
        const json_t *own = json_at(result, result_compares(result) ? "comparisons" : "benchmarks");

        for (size_t i = 0; i < json_array_size(own); i++) {
                json_t *row = own_row(json_array_get(own, i), json_object_get(machine, "name"), over_machines);
                bool tells;

                if (!row)
                        return error_origin(-ENOMEM);
                tells = findings_note(row) || json_array_size(json_at(row, "findings")) > 0;
                if (!tells && *calm) {
                        json_decref(row);
                        continue;
                }
                *calm |= !tells;
                if (json_array_append_new(rows, row) < 0)
                        return error_origin(-ENOMEM);
        }
        return 0;
}

/*
 * The rows of all machines with findings, each with the name of its machine. One row without findings represents all others, so that a
 * finding on some rows is not reported as one on all.
 */
static int find_in_machines(const json_t *document, json_t **ret_rows) {
        const json_t *machines = json_at(document, "fleet.machines");
        const bool over_machines = is_over_machines(document);
        _cleanup_(json_decrefp) json_t *rows = json_array();
        bool calm = false;
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(machines); i++)
                r = add_own_rows(json_array_get(machines, i), over_machines, rows, &calm);
        if (r)
                return error_trace(r);
        *ret_rows = take_pointer(rows);
        return 0;
}

int report_fleet_each_finding(const json_t *document, const View *view, FindingTake take, void *where) {
        _cleanup_(json_decrefp) json_t *rows = NULL;
        int r;

        r = find_in_machines(document, &rows);
        if (r == 0)
                r = tell_needed(document, take, where);
        if (r == 0)
                r = tell_left_out(document, take, where);
        return r ? error_trace(r) : error_trace(findings_each(rows, print_name_on, view, take, where));
}

/* ---- warnings, with the machines that have them */

/* Adds @name to the machines of @text among @groups: { text, machines }. */
static int group_add(json_t *groups, const char *text, const char *name) {
        json_t *group = NULL;

        for (size_t i = 0; !group && i < json_array_size(groups); i++)
                if (strcmp(json_text_at(json_array_get(groups, i), "text"), text) == 0)
                        group = json_array_get(groups, i);
        if (!group) {
                group = json_pack("{s:s, s:[]}", "text", text, "machines");
                if (!group || json_array_append_new(groups, group) < 0)
                        return error_origin(-ENOMEM);
        }
        return json_array_append_new(json_object_get(group, "machines"), json_string(name ? name : "?")) < 0
                               ? error_origin(-ENOMEM)
                               : 0;
}

static int group_own_warnings(const json_t *machine, json_t *groups) {
        const json_t *warnings = json_at(machine, "result.warnings");
        int r = 0;

        for (size_t i = 0; r == 0 && i < json_array_size(warnings); i++) {
                const char *text = json_string_value(json_array_get(warnings, i));

                if (text && *text)
                        r = group_add(groups, text, json_text_at(machine, "name"));
        }
        return error_trace(r);
}

/* "alder, birch: SMIs ..." */
static int tell_group(const json_t *group, FindingTake take, void *where) {
        _cleanup_(text_stream_clear) TextStream text = {};
        FILE *stream = text_stream_open(&text);
        int r;

        fleet_print_names(json_at(group, "machines"), NAMES_MOST, stream);
        fprintf(stream, ": %s", json_text_at(group, "text"));
        r = text_stream_close(&text);
        return r ? error_trace(r) : error_trace(take(where, text.text));
}

int report_fleet_each_warning(const json_t *document, FindingTake take, void *where) {
        const json_t *machines = json_at(document, "fleet.machines"), *warnings = json_at(document, "warnings");
        _cleanup_(json_decrefp) json_t *groups = json_array();
        int r = groups ? 0 : error_origin(-ENOMEM);

        for (size_t i = 0; r == 0 && i < json_array_size(warnings); i++) {
                const char *text = json_text_at(json_array_get(warnings, i), "text");

                r = text ? take(where, text) : 0;
        }
        for (size_t i = 0; r == 0 && i < json_array_size(machines); i++)
                r = group_own_warnings(json_array_get(machines, i), groups);
        for (size_t i = 0; r == 0 && i < json_array_size(groups); i++)
                r = tell_group(json_array_get(groups, i), take, where);
        return error_trace(r);
}

/* ---- in text */

typedef struct WarningPrinter {
        const View *view;
        FILE *out;
} WarningPrinter;

static int print_warning(void *where, const char *sentence) {
        const WarningPrinter *printer = where;

        grid_print_styled(GRID_CAUTION, printer->view->color, "warning: ", printer->out);
        typeset_wrap(sentence, strlen("warning: "), 2, printer->view->width, printer->out);
        fputc('\n', printer->out);
        return 0;
}

int report_fleet_findings(const json_t *document, const View *view, FILE *out) {
        FindingPrinter findings = { view->width, out };
        WarningPrinter warnings = { view, out };
        int r;

        r = report_fleet_each_finding(document, view, findings_print_one, &findings);
        return r ? error_trace(r) : error_trace(report_fleet_each_warning(document, print_warning, &warnings));
}

/* ---- verdict */

static size_t count_rows(const json_t *rows, const char *class) {
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(rows); i++) {
                const char *own = json_text_at(json_array_get(rows, i), "machine_class");

                n += strcmp(own ? own : "", class) == 0 && !row_is_empty_loop(json_array_get(rows, i));
        }
        return n;
}

/* Classes may have other benchmarks: one that needs a processor's feature skips itself elsewhere. */
static size_t count_benchmarks(const json_t *document) {
        const json_t *rows = rows_of(document), *classes = json_at(document, "fleet.classes");
        size_t most = count_rows(rows, "");

        for (size_t i = 0; i < json_array_size(classes); i++) {
                const char *class = json_text_at(json_array_get(classes, i), "machine_class");
                const size_t n = class ? count_rows(rows, class) : 0;

                most = n > most ? n : most;
        }
        return most;
}

/* "1 of 3 machines not reliable" where that is the verdict, " (cedar)"; else ", 1 not reliable (cedar)". */
static void print_unfit(const json_t *document, FILE *title, FILE *out) {
        const json_t *machines = json_at(document, "fleet.machines");
        _cleanup_(json_decrefp) json_t *unfit = json_array();
        const size_t n = fleet_count(document, "fleet.measured");

        for (size_t i = 0; i < json_array_size(machines); i++) {
                const char *verdict = json_text_at(json_array_get(machines, i), "result.verdict");

                if (verdict && strcmp(verdict, "unfit") == 0)
                        (void)json_array_append(unfit, json_array_get(machines, i));
        }
        if (json_array_size(unfit) == 0) {
                if (title)
                        report_print_verdict_title(document, title);
                return;
        }
        if (title)
                fprintf(title, "%zu of %zu machine%s not reliable", json_array_size(unfit), n, n == 1 ? "" : "s");
        else
                fprintf(out, ", %zu not reliable", json_array_size(unfit));
        fputs(" (", out);
        fleet_print_names(unfit, NAMES_MOST, out);
        fputc(')', out);
}

/* True if there are numbers, and all of them hold only for the machines that measured. */
static bool is_of_these(const json_t *document) {
        const json_t *rows = rows_of(document);

        for (size_t i = 0; i < json_array_size(rows); i++)
                if (json_text_at(json_array_get(rows, i), "over"))
                        return !is_over_machines(document);
        return false;
}

static void describe(const json_t *document, bool outcomes, FILE *title, FILE *out) {
        const bool unfit = json_text_is(document, "verdict", "unfit");
        const size_t n_asked = fleet_count(document, "fleet.asked"), n = count_benchmarks(document);
        const size_t n_measured = fleet_count(document, "fleet.measured");
        const size_t n_classes = json_array_size(json_at(document, "fleet.classes"));
        const json_t *rows = rows_of(document);

        if (unfit)
                print_unfit(document, title, out);
        else
                report_print_verdict_title(document, title);
        fputs(!is_of_these(document) ? ": " : n_asked == 1 ? ": over this " : ": over these ", out);
        if (n_measured == 0 && fleet_count_state(document, "partial") > 0)
                fputs("cancelled on ", out);
        else if (n_measured < n_asked)
                fprintf(out, "%zu of ", n_measured);
        if (n_asked == 1 && is_of_these(document))
                fputs("machine", out);
        else
                fprintf(out, "%zu machine%s", n_asked, n_asked == 1 ? "" : "s");
        if (n_classes > 1)
                fprintf(out, " in %zu classes", n_classes);
        fprintf(out, ", %zu %s%s", n, result_compares(document) ? "comparison" : "benchmark", n == 1 ? "" : "s");
        if (outcomes && result_compares(document))
                report_print_outcomes(rows, ", ", out);
        report_print_failures(rows, json_array_size(rows), out);
        if (!unfit)
                print_unfit(document, NULL, out);
        fputc('.', out);
}

int report_fleet_describe_verdict(const json_t *document, FILE *title, FILE *out) {
        describe(document, true, title, out);
        return 0;
}

int report_fleet_describe_reliability(const json_t *document, FILE *title, FILE *out) {
        describe(document, false, title, out);
        return 0;
}

int report_fleet_verdict(const json_t *document, const View *view, FILE *out) {
        return error_trace(report_print_verdict(document, report_fleet_describe_verdict, view, out));
}

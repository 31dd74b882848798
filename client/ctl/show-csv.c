/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Tables for spreadsheets and data frames, by RFC 4180: a line of titles, then one a row, however many results there are. Numbers are
 * plain, times in nanoseconds as they were measured, and a value that is missing is an empty field. Each argument and each counter
 * of any row has a column of its own.
 */

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/json-path.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/show.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CSV_END      "\r\n"
#define CSV_FORMULAS "=+-@"

typedef struct CsvRow {
        const json_t *answer;
        const json_t *whole; /* what the row belongs to: the answer, or a row of it that has rows itself */
        const json_t *row;
} CsvRow;

typedef void (*CsvFill)(const CsvRow *row, const char *path, FILE *out);

typedef struct CsvColumn {
        const char *title;
        CsvFill fill;
        const char *path;
        const char *prefix; /* stands for a column for each member of the object at @path in any row, titled by this and its name */
} CsvColumn;

/* ---- fields */

/* A text that a spreadsheet would take for a formula; a negative number is none. */
static bool is_formula(const char *text) {
        char *end;

        if (!*text || !strchr(CSV_FORMULAS, *text))
                return false;
        (void)strtod(text, &end);
        return *end != '\0';
}

static void print_text(const char *text, FILE *out) {
        const bool formula = is_formula(text), quoted = formula || strpbrk(text, ",\"\r\n") || *text == ' ';

        fprintf(out, "%s%s", quoted ? "\"" : "", formula ? "'" : "");
        for (; *text; text++)
                fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
        fputs(quoted ? "\"" : "", out);
}

static void print_value(const json_t *value, FILE *out) {
        if (json_is_string(value))
                print_text(json_string_value(value), out);
        else if (json_is_boolean(value))
                fputs(json_is_true(value) ? "true" : "false", out);
        else if (json_is_number(value))
                arguments_print_value(value, out);
}

static void fill_row(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(row->row, path), out);
}

static void fill_whole(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(row->whole, path), out);
}

/* A time of the benchmark that is the old side of a comparison. */
static void fill_old(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(report_comparison_side(row->whole, row->row, "old"), path), out);
}

static void fill_new(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(report_comparison_side(row->whole, row->row, "new"), path), out);
}

/* The failure of either side. */
static void fill_failed(const CsvRow *row, const char *path, FILE *out) {
        const json_t *old = json_at(report_comparison_side(row->whole, row->row, "old"), path);

        print_value(old ? old : json_at(report_comparison_side(row->whole, row->row, "new"), path), out);
}

static void fill_answer(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(row->answer, path), out);
}

/* Several machines: a line is of a row over them, which has no machine, or of one machine beneath it. */
static void fill_machine(const CsvRow *row, const char *path, FILE *out) {
        if (row->row != row->whole)
                print_value(json_at(row->row, path), out);
}

/* ... a value that only the row over them has. */
static void fill_pooled(const CsvRow *row, const char *path, FILE *out) {
        if (row->row == row->whole)
                print_value(json_at(row->row, path), out);
}

/* ... the end of an interval, which each has under another name. */
static void fill_estimate(const CsvRow *row, const char *path, FILE *out) {
        const json_t *pooled = json_at(row->whole, json_at(row->whole, "ratio") ? "ratio" : "time_ns");

        print_value(json_at(row->row == row->whole ? pooled : row->row, path), out);
}

/* The values of one of the two results. */
static void fill_first(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(json_array_get(json_at(row->row, "time_ns"), 0), path), out);
}

static void fill_second(const CsvRow *row, const char *path, FILE *out) {
        print_value(json_at(json_array_get(json_at(row->row, "time_ns"), 1), path), out);
}

/* Prints what @join makes of a list, as one cell. */
static void print_joined(const json_t *list, void (*join)(const json_t *list, FILE *out), FILE *out) {
        _cleanup_(freep) char *text = NULL;
        size_t n;
        FILE *joined = open_memstream(&text, &n);

        if (!joined)
                return;
        join(list, joined);
        if (fclose(joined) == 0)
                print_text(text, out);
}

static void join_values(const json_t *values, FILE *out) {
        for (size_t i = 0; i < json_array_size(values); i++) {
                const json_t *value = json_array_get(values, i), *kind = json_object_get(value, "kind");

                fputs(i > 0 ? " " : "", out);
                arguments_print_value(kind ? kind : value, out);
        }
}

static void join_axes(const json_t *axes, FILE *out) {
        for (size_t i = 0; i < json_array_size(axes); i++) {
                const char *name = json_text_at(json_array_get(axes, i), "name");

                fprintf(out, "%s%s=", i > 0 ? "; " : "", name ? name : "?");
                join_values(json_at(json_array_get(axes, i), "values"), out);
        }
}

/* An array, its members joined by blanks: strings, numbers, or the "kind" of objects. */
static void fill_list(const CsvRow *row, const char *path, FILE *out) {
        print_joined(json_at(row->row, path), join_values, out);
}

/* The arguments of a benchmark in a listing, each with all its values. */
static void fill_axes(const CsvRow *row, const char *path, FILE *out) {
        print_joined(json_at(row->row, path), join_axes, out);
}

/* ---- columns */

/* clang-format off */
#define ARGUMENTS { .path = "args", .prefix = "arg_" }
static const CsvColumn run_columns[] = {
        { "run_id", fill_whole, "run_id" }, { "started_at", fill_whole, "started_at" }, { "module", fill_whole, "module.name" },
        { "verdict", fill_whole, "verdict" }, { "method", fill_row, "method" },
        { "comparability_key", fill_whole, "comparability_key" },
        { "area", fill_row, "area" }, { "benchmark", fill_row, "name" }, ARGUMENTS, { "threads", fill_row, "threads" },
        { "cpus", fill_row, "cpus" },
        { "time_ns", fill_row, "time_ns.point" }, { "time_low_ns", fill_row, "time_ns.low" },
        { "time_high_ns", fill_row, "time_ns.high" }, { "net_ns", fill_row, "time_ns.net.point" },
        { "min_ns", fill_row, "time_ns.raw.min" }, { "p5_ns", fill_row, "time_ns.raw.p5" },
        { "p25_ns", fill_row, "time_ns.raw.p25" }, { "median_ns", fill_row, "time_ns.raw.median" },
        { "p75_ns", fill_row, "time_ns.raw.p75" }, { "p95_ns", fill_row, "time_ns.raw.p95" },
        { "max_ns", fill_row, "time_ns.raw.max" }, { "mean_ns", fill_row, "time_ns.raw.mean" },
        { "stddev_ns", fill_row, "time_ns.raw.stddev" },
        { "cycles", fill_row, "cycles.point" }, { "cycles_low", fill_row, "cycles.low" }, { "cycles_high", fill_row, "cycles.high" },
        { "items_per_second", fill_row, "throughput.items_per_second" },
        { "bytes_per_second", fill_row, "throughput.bytes_per_second" },
        { "instructions", fill_row, "pmu.instructions" }, { "branch_misses", fill_row, "pmu.branch_misses" },
        { "cache_misses", fill_row, "pmu.cache_misses" },
        { "allocations", fill_row, "memory.allocations_per_operation" },
        { "allocated_bytes", fill_row, "memory.bytes_per_operation" },
        { "retained_bytes", fill_row, "memory.retained_bytes_per_operation" },
        { "peak_bytes", fill_row, "memory.peak_bytes_per_iteration" },
        { .path = "counters", .prefix = "counter_" },
        { "samples", fill_row, "samples" }, { "iterations_per_sample", fill_row, "iterations_per_sample" },
        { "operations_per_iteration", fill_row, "ops_per_iteration" }, { "quiet_share", fill_row, "disturbed.quiet" },
        { "label", fill_row, "label" }, { "findings", fill_list, "findings" },
        { "failed", fill_row, "failed.code" }, { "message", fill_row, "failed.message" },
};

static const CsvColumn comparison_columns[] = {
        { "run_id", fill_whole, "run_id" }, { "started_at", fill_whole, "started_at" },
        { "old_module", fill_whole, "old_module.name" }, { "new_module", fill_whole, "module.name" },
        { "run_verdict", fill_whole, "verdict" }, { "comparability_key", fill_whole, "comparability_key" },
        { "area", fill_row, "area" }, { "benchmark", fill_row, "name" }, { "old_area", fill_row, "old_area" },
        { "old_benchmark", fill_row, "old_name" }, ARGUMENTS, { "threads", fill_new, "threads" },
        { "old_ns", fill_old, "time_ns.point" }, { "new_ns", fill_new, "time_ns.point" },
        { "ratio", fill_row, "ratio.point" }, { "ratio_low", fill_row, "ratio.low" }, { "ratio_high", fill_row, "ratio.high" },
        { "verdict", fill_row, "verdict" }, { "margin", fill_row, "margin" }, { "detectable", fill_row, "detectable" },
        { "p_value", fill_row, "p_value" }, { "processes", fill_row, "processes" },
        { "processes_needed", fill_row, "processes_needed" }, { "findings", fill_list, "findings" },
        { "failed", fill_failed, "failed.code" }, { "message", fill_failed, "failed.message" },
};

static const CsvColumn listing_columns[] = {
        { "area", fill_row, "area" }, { "benchmark", fill_row, "name" }, { "arguments", fill_axes, "args" },
        { "threads", fill_list, "threads" }, { "cpus", fill_row, "cpus" }, { "hidden", fill_row, "hidden" },
        { "method", fill_row, "method" },
        { "title", fill_row, "title" }, { "about", fill_row, "about" },
};

static const CsvColumn history_columns[] = {
        { "run_id", fill_row, "run_id" }, { "submitted_at", fill_row, "submitted_at" }, { "ended_at", fill_row, "ended_at" },
        { "uid", fill_row, "uid" }, { "module", fill_row, "module_name" }, { "module_sha256", fill_row, "module_sha256" },
        { "state", fill_row, "state" }, { "verdict", fill_row, "verdict" }, { "benchmarks", fill_row, "benchmarks" },
        { "pinned", fill_row, "pinned" }, { "error", fill_row, "error.code" }, { "message", fill_row, "error.message" },
};

static const CsvColumn trend_columns[] = {
        { "area", fill_whole, "area" }, { "benchmark", fill_whole, "name" }, ARGUMENTS, { "threads", fill_whole, "threads" },
        { "run_id", fill_row, "run_id" }, { "started_at", fill_row, "started_at" }, { "module", fill_row, "module_name" },
        { "verdict", fill_row, "verdict" }, { "comparability_key", fill_row, "comparability_key" },
        { "time_ns", fill_row, "time_ns.point" }, { "time_low_ns", fill_row, "time_ns.low" },
        { "time_high_ns", fill_row, "time_ns.high" }, { "change", fill_row, "change" },
        { "measurand", fill_row, "measurand" }, { "drift", fill_whole, "drift.change" }, { "drift_p", fill_whole, "drift.p_value" },
};

static const CsvColumn side_by_side_columns[] = {
        { "area", fill_row, "area" }, { "benchmark", fill_row, "name" }, ARGUMENTS, { "threads", fill_row, "threads" },
        { "first_ns", fill_first, "point" }, { "first_low_ns", fill_first, "low" }, { "first_high_ns", fill_first, "high" },
        { "second_ns", fill_second, "point" }, { "second_low_ns", fill_second, "low" },
        { "second_high_ns", fill_second, "high" }, { "ratio", fill_row, "ratio" }, { "comparable", fill_whole, "comparable" },
};
#define FLEET_RUN                                                                                                      \
        { "run_id", fill_answer, "fleet.run_id" }, { "started_at", fill_answer, "started_at" },                        \
        { "machines_asked", fill_answer, "fleet.asked" }, { "machines_measured", fill_answer, "fleet.measured" },      \
        { "run_verdict", fill_answer, "verdict" }, { "machine_class", fill_whole, "machine_class" },                   \
        { "area", fill_whole, "area" }, { "benchmark", fill_whole, "name" }
#define FLEET_ROW                                                                                                      \
        { "processes", fill_machine, "processes" }, { "odd", fill_machine, "odd" },                                    \
        { "between_machines", fill_pooled, "variance.between_machine" },                                               \
        { "between_processes", fill_pooled, "variance.between_process" },                                              \
        { "within_processes", fill_pooled, "variance.within_process" },                                                \
        { "heterogeneity_p", fill_pooled, "heterogeneity_p" }, { "machines_needed", fill_pooled, "machines_needed" },  \
        { "failed", fill_pooled, "failed.code" }, { "failed_machine", fill_pooled, "failed.machine" },                 \
        { "message", fill_pooled, "failed.message" }

static const CsvColumn fleet_columns[] = {
        FLEET_RUN, ARGUMENTS, { "threads", fill_whole, "threads" }, { "machine", fill_machine, "name" },
        { "over", fill_pooled, "over" },
        { "time_ns", fill_estimate, "point" }, { "time_low_ns", fill_estimate, "low" }, { "time_high_ns", fill_estimate, "high" },
        { "cycles", fill_pooled, "cycles.point" }, { "cycles_low", fill_pooled, "cycles.low" },
        { "cycles_high", fill_pooled, "cycles.high" }, FLEET_ROW,
};

static const CsvColumn fleet_comparison_columns[] = {
        FLEET_RUN, { "old_area", fill_whole, "old_area" }, { "old_benchmark", fill_whole, "old_name" }, ARGUMENTS,
        { "threads", fill_whole, "threads" }, { "machine", fill_machine, "name" }, { "over", fill_pooled, "over" },
        { "ratio", fill_estimate, "point" }, { "ratio_low", fill_estimate, "low" }, { "ratio_high", fill_estimate, "high" },
        { "verdict", fill_pooled, "verdict" }, { "margin", fill_pooled, "margin" }, { "p_value", fill_pooled, "p_value" },
        FLEET_ROW,
};
/* clang-format on */

typedef struct CsvTable {
        const CsvColumn *columns;
        size_t n;
        const char *rows;    /* the member of an answer that holds them */
        const char *subrows; /* ... of each of these that does; NULL: they are rows themselves */
        bool both;           /* they are, and so are their subrows */
} CsvTable;

#define TABLE(columns_, rows_, subrows_, ...)                                                                          \
 { .columns = columns_, .n = N_ELEMENTS(columns_), .rows = rows_, .subrows = subrows_, __VA_ARGS__ }

static const CsvTable tables[_SHOW_KIND_N] = {
        [SHOW_RESULT] = TABLE(run_columns, "benchmarks", NULL),
        [SHOW_LISTING] = TABLE(listing_columns, "benchmarks", NULL),
        [SHOW_HISTORY] = TABLE(history_columns, "entries", NULL),
        [SHOW_TREND] = TABLE(trend_columns, "benchmarks", "runs"),
        [SHOW_SIDE_BY_SIDE] = TABLE(side_by_side_columns, "benchmarks", NULL),
        [SHOW_FLEET] = TABLE(fleet_columns, "benchmarks", "machines", .both = true),
};

/* Kinds that may compare two modules. */
static const CsvTable comparison_tables[_SHOW_KIND_N] = {
        [SHOW_RESULT] = TABLE(comparison_columns, "comparisons", NULL),
        [SHOW_FLEET] = TABLE(fleet_comparison_columns, "comparisons", "machines", .both = true),
};

static const CsvTable *table_of(ShowKind kind, const json_t *answers) {
        const bool compares = report_is_comparison(json_array_get(answers, 0));

        return compares && comparison_tables[kind].columns ? &comparison_tables[kind] : &tables[kind];
}

/* The names of all members that the object at @path has in any row, in the order in which they come first. */
static json_t *names_at(const CsvTable *table, const json_t *answers, const char *path) {
        json_t *names = json_object();

        for (size_t i = 0; names && i < json_array_size(answers); i++) {
                const json_t *rows = json_at(json_array_get(answers, i), table->rows);

                for (size_t k = 0; k < json_array_size(rows); k++)
                        (void)json_object_update_missing(names, (json_t *)json_at(json_array_get(rows, k), path));
        }
        return names;
}

/* ---- lines */

typedef struct Csv {
        const CsvTable *table;
        json_t *names[2]; /* of the arguments, and of the counters; NULL: there is no such column */
        FILE *out;
} Csv;

static void csv_clear(Csv *csv) {
        json_decref(csv->names[0]);
        json_decref(csv->names[1]);
}

/* The name is the module's. */
static void print_title(const char *prefix, const char *name, FILE *out) {
        _cleanup_(freep) char *title = NULL;

        if (asprintf(&title, "%s%s", prefix, name) < 0)
                title = NULL;
        else
                print_text(title, out);
}

static void csv_print_titles(Csv *csv) {
        const char *separator = "", *name;
        size_t n_names = 0;
        json_t *value;

        for (size_t i = 0; i < csv->table->n; i++) {
                const CsvColumn *column = &csv->table->columns[i];

                if (column->prefix) {
                        json_object_foreach(csv->names[n_names], name, value) {
                                fputs(separator, csv->out);
                                print_title(column->prefix, name, csv->out);
                                separator = ",";
                        }
                        n_names++;
                        continue;
                }
                fprintf(csv->out, "%s%s", separator, column->title);
                separator = ",";
        }
        fputs(CSV_END, csv->out);
}

/* @row is a row of @whole; of a row within a row the first has the arguments. */
static void csv_print_row(Csv *csv, const json_t *answer, const json_t *whole, const json_t *row) {
        const CsvRow of = { .answer = answer, .whole = whole, .row = row };
        const char *separator = "", *name;
        size_t n_names = 0;
        json_t *value;

        for (size_t i = 0; i < csv->table->n; i++) {
                const CsvColumn *column = &csv->table->columns[i];

                if (column->prefix) {
                        const json_t *values = json_at(csv->table->subrows ? whole : row, column->path);

                        json_object_foreach(csv->names[n_names], name, value) {
                                fputs(separator, csv->out);
                                print_value(json_object_get(values, name), csv->out);
                                separator = ",";
                        }
                        n_names++;
                        continue;
                }
                fputs(separator, csv->out);
                column->fill(&of, column->path, csv->out);
                separator = ",";
        }
        fputs(CSV_END, csv->out);
}

static void csv_print_answer(Csv *csv, const json_t *answer) {
        const json_t *rows = json_at(answer, csv->table->rows);

        for (size_t i = 0; i < json_array_size(rows); i++) {
                const json_t *row = json_array_get(rows, i);
                const json_t *subrows = csv->table->subrows ? json_at(row, csv->table->subrows) : NULL;

                if (csv->table->both)
                        csv_print_row(csv, answer, row, row);
                for (size_t k = 0; k < json_array_size(subrows); k++)
                        csv_print_row(csv, answer, row, json_array_get(subrows, k));
                if (!csv->table->subrows)
                        csv_print_row(csv, answer, answer, row);
        }
}

int show_csv(ShowKind kind, const json_t *answers, const View *view, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        _cleanup_(csv_clear) Csv csv = { .out = out };
        size_t n_names = 0;
        int r;

        r = printable_json(answers, &printable);
        if (r)
                return error_trace(r);
        csv.table = table_of(kind, printable);
        for (size_t i = 0; i < csv.table->n; i++) {
                if (!csv.table->columns[i].prefix)
                        continue;
                csv.names[n_names] = names_at(csv.table, printable, csv.table->columns[i].path);
                if (!csv.names[n_names++])
                        return error_origin(-ENOMEM);
        }
        csv_print_titles(&csv);
        for (size_t i = 0; i < json_array_size(printable); i++)
                csv_print_answer(&csv, json_array_get(printable, i));
        return 0;
}

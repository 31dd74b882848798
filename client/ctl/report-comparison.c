/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison's table: one row per pair of benchmarks, with the ratio of their times and the verdict.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define DASH "–"

static const char disturbed_words[] =
                "disturbed too much: stop other programs, or choose CPUs isolated at boot (--cpus)";

DEFINE_CLEANUP(Grid *, grid_free)

typedef enum ComparisonColumn {
        COMPARISON_NAME,
        COMPARISON_OLD,
        COMPARISON_NEW,
        COMPARISON_RATIO,
        COMPARISON_INTERVAL,
        COMPARISON_VERDICT,
        COMPARISON_P_VALUE,
        COMPARISON_DETECTABLE,
        COMPARISON_PROCESSES,
        COMPARISON_NOTES,
        _COMPARISON_N,
} ComparisonColumn;

static const GridColumn comparison_columns[_COMPARISON_N] = {
        [COMPARISON_NAME] = { .title = "", .left = true },
        [COMPARISON_OLD] = { .title = "old", .gap = 3 },
        [COMPARISON_NEW] = { .title = "new", .gap = 2 },
        [COMPARISON_RATIO] = { .title = "new / old", .gap = 2, .style = GRID_BOLD },
        [COMPARISON_INTERVAL] = { .title = "95 % interval", .gap = 2 },
        [COMPARISON_VERDICT] = { .title = "verdict", .left = true, .gap = 2, .style = GRID_BOLD },
        [COMPARISON_P_VALUE] = { .title = "p", .gap = 2 },
        [COMPARISON_DETECTABLE] = { .title = "detectable", .gap = 2 },
        [COMPARISON_PROCESSES] = { .title = "processes", .gap = 2, .style = GRID_DIM },
        [COMPARISON_NOTES] = { .title = "notes", .left = true, .gap = 2 },
};

typedef struct ComparisonRow {
        const json_t *comparison;
        const json_t *old; /* the benchmarks of both sides; NULL if there is none */
        const json_t *new;
        Footnotes *footnotes;
} ComparisonRow;

typedef void (*ComparisonFill)(const ComparisonRow *row, FILE *out);

/* ---- cells */

static void fill_name(const ComparisonRow *row, FILE *out) {
        json_t *args = (json_t *)json_at(row->comparison, "args"), *value;
        const char *area = json_text_at(row->comparison, "area"), *name = json_text_at(row->comparison, "name");
        const char *old_area = json_text_at(row->comparison, "old_area");
        const char *old_name = json_text_at(row->comparison, "old_name"), *key;

        fprintf(out, "%s/%s", area ? area : "?", name ? name : "?");
        json_object_foreach(args, key, value) fprintf(out, " %s=%" JSON_INTEGER_FORMAT, key, json_integer_value(value));
        if (old_name)
                fprintf(out, " against %s/%s", old_area ? old_area : "?", old_name);
}

static void fill_time(const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        fputs(benchmark && json_number_at(benchmark, "time_ns.point", &ns) ? unit_time(ns, text) : DASH, out);
}

static void fill_old(const ComparisonRow *row, FILE *out) {
        fill_time(row->old, out);
}

static void fill_new(const ComparisonRow *row, FILE *out) {
        fill_time(row->new, out);
}

static void fill_ratio(const ComparisonRow *row, FILE *out) {
        double ratio;

        if (json_number_at(row->comparison, "ratio.point", &ratio))
                fprintf(out, "%.4f", ratio);
        else
                fputs(DASH, out);
}

static void fill_interval(const ComparisonRow *row, FILE *out) {
        double low, high;

        if (json_number_at(row->comparison, "ratio.low", &low) && json_number_at(row->comparison, "ratio.high", &high))
                fprintf(out, "%.4f … %.4f", low, high);
        else
                fputs(DASH, out);
}

static void fill_verdict(const ComparisonRow *row, FILE *out) {
        const char *verdict = json_text_at(row->comparison, "verdict");

        fputs(verdict ? verdict : DASH, out);
}

static void fill_p_value(const ComparisonRow *row, FILE *out) {
        double p;

        if (!json_number_at(row->comparison, "p_value", &p))
                fputs(DASH, out);
        else if (p < 0.0001)
                fputs("< 0.0001", out);
        else
                fprintf(out, "%.4f", p);
}

static void fill_detectable(const ComparisonRow *row, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        fputs(json_number_at(row->comparison, "detectable", &share) ? unit_share(share, text) : DASH, out);
}

static void fill_processes(const ComparisonRow *row, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double n;

        if (json_number_at(row->comparison, "processes", &n))
                fputs(unit_count(n, text), out);
}

static void fill_notes(const ComparisonRow *row, FILE *out) {
        const json_t *warnings = json_at(row->comparison, "warnings");
        const char *separator = "";
        double needed;

        if (json_number_at(row->comparison, "processes_needed", &needed)) {
                fprintf(out, "--processes=%.0f would tell", needed);
                separator = ", ";
        }
        if (json_flag_at(row->old, "disturbed.unfit") || json_flag_at(row->new, "disturbed.unfit")) {
                fprintf(out, "%s(%zu)", separator, grid_add_footnote(row->footnotes, disturbed_words));
                separator = ", ";
        }
        for (size_t i = 0; i < json_array_size(warnings); i++) {
                const char *words = json_string_value(json_array_get(warnings, i));

                if (!words)
                        continue;
                fprintf(out, "%s(%zu)", separator, grid_add_footnote(row->footnotes, words));
                separator = ", ";
        }
}

static const ComparisonFill fills[_COMPARISON_N] = {
        [COMPARISON_NAME] = fill_name,
        [COMPARISON_OLD] = fill_old,
        [COMPARISON_NEW] = fill_new,
        [COMPARISON_RATIO] = fill_ratio,
        [COMPARISON_INTERVAL] = fill_interval,
        [COMPARISON_VERDICT] = fill_verdict,
        [COMPARISON_P_VALUE] = fill_p_value,
        [COMPARISON_DETECTABLE] = fill_detectable,
        [COMPARISON_PROCESSES] = fill_processes,
        [COMPARISON_NOTES] = fill_notes,
};

static int cell_make(const ComparisonRow *row, ComparisonFill fill, char **ret_text) {
        _cleanup_(freep) char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return error_origin(-errno);
        fill(row, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        *ret_text = take_pointer(text);
        return 0;
}

/* ---- rows */

static int add_row(Grid *grid, const ComparisonRow *row) {
        char *cells[_COMPARISON_N] = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < _COMPARISON_N; i++)
                r = cell_make(row, fills[i], &cells[i]);
        if (r == 0)
                r = grid_add_row(grid, (const char *const *)cells);
        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                free(cells[i]);
        return error_trace(r);
}

/* The benchmark of @comparison on @side. */
static const json_t *find_side(const json_t *result, const json_t *comparison, const char *side) {
        const json_t *benchmarks = json_at(result, "benchmarks"), *index = json_at(comparison, "index");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const char *own = json_text_at(benchmark, "side");

                if (own && strcmp(own, side) == 0 && json_equal(json_at(benchmark, "index"), index))
                        return benchmark;
        }
        return NULL;
}

bool report_is_comparison(const json_t *result) {
        return json_array_size(json_at(result, "comparisons")) > 0;
}

static void print_unpaired(const json_t *result, const char *path, const char *words, FILE *out) {
        const json_t *names = json_at(result, path);
        size_t n = json_array_size(names);

        for (size_t i = 0; i < n; i++)
                fprintf(out, "%s%s", i == 0 ? words : ", ", json_string_value(json_array_get(names, i)));
        if (n > 0)
                fputs("\n", out);
}

int report_comparison(const json_t *result, bool color, Footnotes *footnotes, FILE *out) {
        const json_t *comparisons = json_at(result, "comparisons");
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = grid_new(comparison_columns, _COMPARISON_N, &grid);
        if (r)
                return error_trace(r);
        r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++) {
                const json_t *comparison = json_array_get(comparisons, i);

                r = add_row(grid, &(ComparisonRow){
                                                  .comparison = comparison,
                                                  .old = find_side(result, comparison, "old"),
                                                  .new = find_side(result, comparison, "new"),
                                                  .footnotes = footnotes,
                                  });
        }
        if (r)
                return error_trace(r);
        grid_print(grid, color, out);
        print_unpaired(result, "only_old", "only in the old module: ", out);
        print_unpaired(result, "only_new", "only in the new module: ", out);
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A comparison's table: one row per pair of benchmarks, with the ratio of their times and the verdict.
 */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "ctl/arguments.h"
#include "ctl/findings.h"
#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/report-output.h"
#include "ctl/report.h"
#include "ctl/row.h"
#include "ctl/time-unit.h"
#include "ctl/typeset.h"
#include "ctl/unit.h"
#include "ctl/view.h"
#include "util/cleanup.h"
#include "util/error.h"

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

/* clang-format off */
static const GridColumn comparison_columns[_COMPARISON_N] = {
        [COMPARISON_NAME] = { .title = "", .left = true },
        [COMPARISON_OLD] = { .title = "old", .gap = 3, .rank = 6, .dash = true },
        [COMPARISON_NEW] = { .title = "new", .gap = 2, .rank = 5, .dash = true },
        [COMPARISON_RATIO] = { .title = "new / old", .gap = 2, .style = GRID_BOLD, .dash = true },
        [COMPARISON_INTERVAL] = { .title = "95 % interval", .gap = 2, .rank = 4, .dash = true },
        [COMPARISON_VERDICT] = { .title = "verdict", .left = true, .gap = 2, .style = GRID_BOLD, .dash = true },
        [COMPARISON_P_VALUE] = { .title = "p", .gap = 2, .rank = 8, .dash = true },
        [COMPARISON_DETECTABLE] = { .title = "detectable", .gap = 2, .rank = 9, .dash = true },
        [COMPARISON_PROCESSES] = { .title = "processes", .gap = 2, .style = GRID_DIM, .rank = 10, .dash = true },
        [COMPARISON_NOTES] = { .title = "note", .left = true, .gap = 2, .rank = 7, .optional = true },
};
/* clang-format on */

typedef struct ComparisonRow {
        const json_t *comparison;
        const json_t *old; /* the benchmarks of both sides; NULL if there is none */
        const json_t *new;
        Footnotes *footnotes;
} ComparisonRow;

typedef void (*ComparisonFill)(const ComparisonRow *row, FILE *out);

/* ---- cells */

static void print_name(const json_t *comparison, FILE *out) {
        const char *area = json_text_at(comparison, "area"), *name = json_text_at(comparison, "name");
        const char *old_area = json_text_at(comparison, "old_area");
        const char *old_name = json_text_at(comparison, "old_name");

        fprintf(out, "%s/%s", area ? area : "?", name ? name : "?");
        arguments_print(comparison, out);
        if (old_name)
                fprintf(out, " against %s/%s", old_area ? old_area : "?", old_name);
}

static void fill_name(const ComparisonRow *row, FILE *out) {
        print_name(row->comparison, out);
}

static void fill_time(const json_t *benchmark, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ns;

        if (benchmark && json_number_at(benchmark, "time_ns.point", &ns))
                fputs(unit_time_in(time_unit_of(benchmark), ns, text), out);
}

static void fill_old(const ComparisonRow *row, FILE *out) {
        fill_time(row->old, out);
}

static void fill_new(const ComparisonRow *row, FILE *out) {
        fill_time(row->new, out);
}

/* Half of the interval of the ratio, which decides how many digits mean anything; 0 without one. */
static double ratio_error(const json_t *comparison) {
        double low, high;

        if (!json_number_at(comparison, "ratio.low", &low) || !json_number_at(comparison, "ratio.high", &high))
                return 0;
        return (high - low) / 2;
}

static void fill_ratio(const ComparisonRow *row, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double ratio;

        if (json_number_at(row->comparison, "ratio.point", &ratio))
                fputs(unit_to_error(ratio, ratio_error(row->comparison), text), out);
}

static void fill_interval(const ComparisonRow *row, FILE *out) {
        const double error = ratio_error(row->comparison);
        char text_low[UNIT_TEXT_MAX], text_high[UNIT_TEXT_MAX];
        double low, high;

        if (json_number_at(row->comparison, "ratio.low", &low) && json_number_at(row->comparison, "ratio.high", &high))
                fprintf(out, "%s … %s", unit_to_error(low, error, text_low), unit_to_error(high, error, text_high));
}

static void fill_verdict(const ComparisonRow *row, FILE *out) {
        const char *verdict = json_text_at(row->comparison, "verdict");

        fputs(verdict ? verdict : "", out);
}

static void fill_p_value(const ComparisonRow *row, FILE *out) {
        double p;

        if (json_number_at(row->comparison, "p_value", &p))
                fprintf(out, p < 0.0001 ? "< 0.0001" : "%.4f", p);
}

static void fill_detectable(const ComparisonRow *row, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double share;

        if (json_number_at(row->comparison, "detectable", &share))
                fputs(unit_share(share, text), out);
}

static void fill_processes(const ComparisonRow *row, FILE *out) {
        char text[UNIT_TEXT_MAX];
        double n;

        if (json_number_at(row->comparison, "processes", &n))
                fputs(unit_count(n, text), out);
}

/* A row whose findings name the disturbance says no more of it. */
static bool is_told(const json_t *comparison) {
        const json_t *findings = json_at(comparison, "findings");

        for (size_t i = 0; i < json_array_size(findings); i++) {
                const char *kind = json_text_at(json_array_get(findings, i), "kind");

                if (kind && strncmp(kind, "unfit-", strlen("unfit-")) == 0)
                        return true;
        }
        return false;
}

static bool is_disturbed(const ComparisonRow *row) {
        if (is_told(row->comparison))
                return false;
        return json_flag_at(row->old, "disturbed.unfit") || json_flag_at(row->new, "disturbed.unfit");
}

static void fill_all_notes(const ComparisonRow *row, FILE *out) {
        const json_t *warnings = json_at(row->comparison, "warnings");
        const char *separator = "";
        double needed;

        if (json_number_at(row->comparison, "processes_needed", &needed)) {
                fprintf(out, "--processes=%.0f would settle it", needed);
                separator = ", ";
        }
        if (is_disturbed(row)) {
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

static void fill_notes(const ComparisonRow *row, FILE *out) {
        const char *note = is_disturbed(row) ? "not reliable" : findings_note(row->comparison);

        if (row->footnotes)
                fill_all_notes(row, out);
        else
                fputs(note ? note : "", out);
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

/* A pair of which a side failed has the reason in the place of numbers. */
static int add_failure(Grid *grid, const json_t *comparison, const json_t *benchmark) {
        _cleanup_(freep) char *name = NULL;
        FILE *stream;
        size_t n;
        int r;

        stream = open_memstream(&name, &n);
        if (!stream)
                return error_origin(-errno);
        print_name(comparison, stream);
        if (fclose(stream) != 0)
                return error_origin(-errno);
        r = row_add_failure(grid, benchmark, name);
        if (r == 0)
                r = report_output_add(grid, benchmark);
        return error_trace(r);
}

static int add_row(Grid *grid, const ComparisonColumn *columns, size_t n, const ComparisonRow *row) {
        char *cells[_COMPARISON_N] = {};
        int r = 0;

        for (size_t i = 0; r == 0 && i < n; i++)
                r = cell_make(row, fills[columns[i]], &cells[i]);
        if (r == 0)
                r = grid_add_row(grid, (const char *const *)cells);
        for (size_t i = 0; i < N_ELEMENTS(cells); i++)
                free(cells[i]);
        return error_trace(r);
}

const json_t *report_comparison_side(const json_t *result, const json_t *comparison, const char *side) {
        const json_t *benchmarks = json_at(result, "benchmarks"), *index = json_at(comparison, "index");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);
                const char *own = json_text_at(benchmark, "side");

                if (own && strcmp(own, side) == 0 && json_equal(json_at(benchmark, "index"), index))
                        return benchmark;
        }
        return NULL;
}

/* The benchmark of @comparison that failed, on whichever side; NULL if none did. */
static const json_t *find_failed(const json_t *result, const json_t *comparison) {
        const json_t *benchmarks = json_at(result, "benchmarks"), *index = json_at(comparison, "index");

        for (size_t i = 0; i < json_array_size(benchmarks); i++) {
                const json_t *benchmark = json_array_get(benchmarks, i);

                if (json_at(benchmark, "failed") && json_equal(json_at(benchmark, "index"), index))
                        return benchmark;
        }
        return NULL;
}

bool report_is_comparison(const json_t *result) {
        return json_array_size(json_at(result, "comparisons")) > 0;
}

static void print_unpaired(const json_t *result, const char *path, const char *words, const View *view, FILE *out) {
        const json_t *names = json_at(result, path);
        size_t n = json_array_size(names);

        if (n == 0)
                return;
        fputs(words, out);
        for (size_t i = 0, column = strlen(words); i < n; i++) {
                const char *name = json_string_value(json_array_get(names, i));

                column += typeset_width(name) + strlen(", ");
                fprintf(out, "%s%s", i == 0 ? "" : view->width > 0 && column > view->width ? ",\n  " : ", ", name);
                column = view->width > 0 && column > view->width ? 2 + typeset_width(name) : column;
        }
        fputs("\n", out);
}

void report_print_unpaired(const json_t *result, const View *view, FILE *out) {
        print_unpaired(result, "only_old", "only in the old module: ", view, out);
        print_unpaired(result, "only_new", "only in the new module: ", view, out);
}

static const struct {
        const char *name;
        ComparisonColumn column;
} comparison_names[] = {
        { "old", COMPARISON_OLD },
        { "new", COMPARISON_NEW },
        { "ratio", COMPARISON_RATIO },
        { "interval", COMPARISON_INTERVAL },
        { "verdict", COMPARISON_VERDICT },
        { "p", COMPARISON_P_VALUE },
        { "detectable", COMPARISON_DETECTABLE },
        { "processes", COMPARISON_PROCESSES },
        { "note", COMPARISON_NOTES },
};

bool report_comparison_has_column(const char *name, size_t n) {
        for (size_t i = 0; i < N_ELEMENTS(comparison_names); i++)
                if (strlen(comparison_names[i].name) == n && memcmp(comparison_names[i].name, name, n) == 0)
                        return true;
        return false;
}

void report_comparison_print_columns(FILE *out) {
        for (size_t i = 0; i < N_ELEMENTS(comparison_names); i++)
                fprintf(out, "%s%s", i > 0 ? ", " : "", comparison_names[i].name);
}

static const json_t *comparison_at(const json_t *result, size_t index) {
        return json_array_get(json_at(result, "comparisons"), index);
}

const json_t *report_comparison_failed(const json_t *result, size_t index) {
        return find_failed(result, comparison_at(result, index));
}

char *report_comparison_text(const json_t *result, size_t index, const char *name) {
        const json_t *comparison = comparison_at(result, index);
        const ComparisonRow row = {
                .comparison = comparison,
                .old = report_comparison_side(result, comparison, "old"),
                .new = report_comparison_side(result, comparison, "new"),
        };
        ComparisonColumn column = COMPARISON_NAME;
        char *text = NULL;

        for (size_t i = 0; i < N_ELEMENTS(comparison_names); i++)
                if (strcmp(comparison_names[i].name, name) == 0)
                        column = comparison_names[i].column;
        return cell_make(&row, fills[column], &text) == 0 ? text : NULL;
}

/* The columns that are shown, in their order; the name is always the first. */
static size_t choose_columns(const View *view, ComparisonColumn ret_chosen[static _COMPARISON_N]) {
        size_t n_chosen = 0;

        for (size_t i = 0; !view->columns && i < _COMPARISON_N; i++)
                ret_chosen[n_chosen++] = i;
        if (view->columns)
                ret_chosen[n_chosen++] = COMPARISON_NAME;
        for (const char *name = view->columns; name && *name; name += strspn(name, ",")) {
                const size_t n = strcspn(name, ",");

                for (size_t i = 0; i < N_ELEMENTS(comparison_names) && n_chosen < _COMPARISON_N; i++)
                        if (strlen(comparison_names[i].name) == n && memcmp(comparison_names[i].name, name, n) == 0)
                                ret_chosen[n_chosen++] = comparison_names[i].column;
                name += n;
        }
        return n_chosen;
}

/* Columns that were asked for are all there, however wide. */
static int comparison_grid_new(const View *view, const ComparisonColumn *chosen, size_t n, Grid **ret_grid) {
        GridColumn columns[_COMPARISON_N];

        for (size_t i = 0; i < n; i++) {
                columns[i] = comparison_columns[chosen[i]];
                if (view->columns)
                        columns[i].rank = 0;
        }
        return error_trace(grid_new(columns, n, ret_grid));
}

int report_comparison(const json_t *result, const View *view, Footnotes *footnotes, FILE *out) {
        const json_t *comparisons = json_at(result, "comparisons");
        ComparisonColumn chosen[_COMPARISON_N];
        const size_t n = choose_columns(view, chosen);
        _cleanup_(grid_freep) Grid *grid = NULL;
        int r;

        r = comparison_grid_new(view, chosen, n, &grid);
        if (r)
                return error_trace(r);
        r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(comparisons); i++) {
                const json_t *comparison = json_array_get(comparisons, i), *failed = find_failed(result, comparison);

                if (failed) {
                        r = add_failure(grid, comparison, failed);
                        continue;
                }
                r = add_row(grid, chosen, n,
                                &(ComparisonRow){
                                                .comparison = comparison,
                                                .old = report_comparison_side(result, comparison, "old"),
                                                .new = report_comparison_side(result, comparison, "new"),
                                                .footnotes = footnotes,
                                });
        }
        if (r)
                return error_trace(r);
        grid_print(grid, view, comparison_columns[COMPARISON_NOTES].rank, out);
        report_print_unpaired(result, view, out);
        return 0;
}

/* One number of processes settles every row that some number does. */
static int tell_needed(const json_t *comparisons, FindingTake take, void *where) {
        char text[128];
        double most = 0;
        size_t n = 0;

        for (size_t i = 0; i < json_array_size(comparisons); i++) {
                double needed;

                if (!json_number_at(json_array_get(comparisons, i), "processes_needed", &needed))
                        continue;
                most = fmax(most, needed);
                n++;
        }
        if (n == 0)
                return 0;
        snprintf(text, sizeof text, "--processes=%.0f would settle what is unresolved (%zu row%s)", most, n,
                        n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

static int tell_disturbed(const json_t *result, FindingTake take, void *where) {
        const json_t *comparisons = json_at(result, "comparisons");
        size_t n_rows = json_array_size(comparisons), n = 0;
        char text[sizeof disturbed_words + 32];

        for (size_t i = 0; i < n_rows; i++) {
                const json_t *comparison = json_array_get(comparisons, i);

                n += is_disturbed(&(ComparisonRow){
                                .comparison = comparison,
                                .old = report_comparison_side(result, comparison, "old"),
                                .new = report_comparison_side(result, comparison, "new"),
                });
        }
        if (n == 0)
                return 0;
        snprintf(text, sizeof text, n < n_rows ? "%s (%zu row%s)" : "%s", disturbed_words, n, n == 1 ? "" : "s");
        return error_trace(take(where, text));
}

int report_comparison_each_finding(const json_t *result, const View *view, FindingTake take, void *where) {
        const json_t *comparisons = json_at(result, "comparisons");
        int r;

        r = tell_needed(comparisons, take, where);
        if (r == 0)
                r = tell_disturbed(result, take, where);
        return r ? error_trace(r) : error_trace(findings_each(comparisons, print_name, view, take, where));
}

int report_comparison_findings(const json_t *result, const View *view, FILE *out) {
        FindingPrinter printer = { view->width, out };

        return error_trace(report_comparison_each_finding(result, view, findings_print_one, &printer));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The jobs that the daemon knows, one line each, with as many digits of their ids as tell them apart.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/instant.h"
#include "ctl/json-path.h"
#include "ctl/report.h"
#include "ctl/standing.h"
#include "ctl/unit.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JOB_DIGITS_MIN 8u
#define JOB_DIGITS_MAX 32u

enum {
        HISTORY_JOB,
        HISTORY_SUBMITTED,
        HISTORY_USER,
        HISTORY_MODULE,
        HISTORY_STATE,
        HISTORY_BENCHMARKS,
        HISTORY_NOTES,
        _HISTORY_N,
};

static const GridColumn history_columns[_HISTORY_N] = {
        [HISTORY_JOB] = { .title = "job", .left = true },
        [HISTORY_SUBMITTED] = { .title = "submitted", .left = true, .gap = 3, .rank = 1 },
        [HISTORY_USER] = { .title = "uid", .gap = 3, .rank = 2, .optional = true },
        [HISTORY_MODULE] = { .title = "module", .left = true, .gap = 3, .least = 12 },
        [HISTORY_STATE] = { .title = "state", .left = true, .gap = 3 },
        [HISTORY_BENCHMARKS] = { .title = "benchmarks", .gap = 3, .rank = 3, .optional = true },
        [HISTORY_NOTES] = { .title = "note",
                        .left = true,
                        .gap = 3,
                        .least = 8,
                        .prose = true,
                        .style = GRID_DIM,
                        .optional = true },
};

DEFINE_CLEANUP(Grid *, grid_free)

/* ---- over all entries */

static const char *entry_job(const json_t *entries, size_t index) {
        const char *job = json_text_at(json_array_get(entries, index), "run_id");

        return job ? job : "?";
}

static bool jobs_differ(const json_t *entries, size_t n_digits) {
        for (size_t i = 0; i < json_array_size(entries); i++)
                for (size_t j = 0; j < i; j++)
                        if (strncmp(entry_job(entries, i), entry_job(entries, j), n_digits) == 0)
                                return false;
        return true;
}

static size_t jobs_digits(const json_t *entries) {
        size_t n_digits = JOB_DIGITS_MIN;

        while (n_digits < JOB_DIGITS_MAX && !jobs_differ(entries, n_digits))
                n_digits++;
        return n_digits;
}

static bool users_differ(const json_t *entries) {
        for (size_t i = 1; i < json_array_size(entries); i++)
                if (!json_equal(json_object_get(json_array_get(entries, i), "uid"),
                                    json_object_get(json_array_get(entries, 0), "uid")))
                        return true;
        return false;
}

/* ---- one entry: each prints a cell */

void report_print_state(const json_t *entry, FILE *out) {
        const char *state = json_text_at(entry, "state"), *verdict = json_text_at(entry, "verdict");

        fputs(state ? state : "?", out);
        if (verdict && strcmp(verdict, "unfit") == 0)
                fputs(", not reliable", out);
        else if (verdict && strcmp(verdict, "fit") != 0)
                fprintf(out, ", %s", verdict);
}

void report_print_job_notes(const json_t *entry, FILE *out) {
        const char *error = json_text_at(entry, "error.message");
        const char *separator = "";
        char words[STANDING_TEXT_MAX];
        Standing standing;

        if (json_flag_at(entry, "pinned")) {
                fputs("pinned", out);
                separator = "; ";
        }
        if (standing_read(json_at(entry, "standing"), &standing)) {
                fprintf(out, "%swaiting: %s", separator, standing_words(&standing, words));
                separator = "; ";
        }
        if (error)
                fprintf(out, "%s%s", separator, error);
}

/* Returns a text, which is the caller's, or NULL if memory ran out. */
static char *cell(const json_t *entry, void (*print)(const json_t *entry, FILE *out)) {
        char *text = NULL;
        FILE *stream;
        size_t n;

        stream = open_memstream(&text, &n);
        if (!stream)
                return NULL;
        print(entry, stream);
        if (fclose(stream) == 0)
                return text;
        free(text);
        return NULL;
}

static int add_entry(Grid *grid, const json_t *entry, size_t n_digits, bool users) {
        const char *job = json_text_at(entry, "run_id"), *submitted = json_text_at(entry, "submitted_at");
        char id[JOB_DIGITS_MAX + 1], date[INSTANT_TEXT_MAX] = "", user[UNIT_TEXT_MAX] = "", count[UNIT_TEXT_MAX] = "";
        _cleanup_(freep) char *state = cell(entry, report_print_state), *notes = cell(entry, report_print_job_notes);
        double number;

        if (!state || !notes)
                return error_origin(-ENOMEM);
        snprintf(id, sizeof id, "%.*s", (int)n_digits, job ? job : "?");
        if (submitted)
                instant_local(submitted, "%Y-%m-%d %H:%M:%S", date);
        if (users && json_number_at(entry, "uid", &number))
                snprintf(user, sizeof user, "%.0f", number);
        if (json_number_at(entry, "benchmarks", &number))
                unit_count(number, count);
        return error_trace(grid_add_row(grid, (const char *const[_HISTORY_N]){
                                                              [HISTORY_JOB] = id,
                                                              [HISTORY_SUBMITTED] = date,
                                                              [HISTORY_USER] = user,
                                                              [HISTORY_MODULE] = json_text_at(entry, "module_name"),
                                                              [HISTORY_STATE] = state,
                                                              [HISTORY_BENCHMARKS] = count,
                                                              [HISTORY_NOTES] = notes,
                                              }));
}

/* ---- the table */

/* In the details: the jobs that are no longer there. */
static void print_removed(const json_t *history, const View *view, FILE *out) {
        const char *until = json_text_at(history, "removed_until");
        char date[INSTANT_TEXT_MAX] = "", count[UNIT_TEXT_MAX];
        double jobs;

        if (!view->details || !until || !json_number_at(history, "removed_jobs", &jobs))
                return;
        instant_local(until, "%Y-%m-%d %H:%M:%S", date);
        fprintf(out, "\n%s earlier job%s removed (keep= and keep_per_user= of benchd.conf), the latest of %s.\n",
                        unit_count(jobs, count), jobs == 1 ? " was" : "s were", date);
}

int report_history(const json_t *history, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        const json_t *entries = json_at(history, "entries");
        size_t n_digits = jobs_digits(entries);
        bool users = users_differ(entries);
        int r;

        if (json_array_size(entries) == 0) {
                fputs("No jobs.\n", out);
                print_removed(history, view, out);
                report_warnings(json_at(history, "warnings"), view, out);
                return 0;
        }
        r = grid_new(history_columns, N_ELEMENTS(history_columns), &grid);
        if (r)
                return error_trace(r);
        r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(entries); i++)
                r = add_entry(grid, json_array_get(entries, i), n_digits, users);
        if (r)
                return error_trace(r);
        grid_print(grid, view, history_columns[HISTORY_BENCHMARKS].rank, out);
        print_removed(history, view, out);
        report_warnings(json_at(history, "warnings"), view, out);
        return 0;
}

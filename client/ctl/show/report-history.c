/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The jobs that the daemon knows, one line each, with enough digits of their ids to distinguish them.
 */

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/base/instant.h"
#include "ctl/base/job-id.h"
#include "ctl/base/json-path.h"
#include "ctl/base/unit.h"
#include "ctl/model/columns.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"

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
        size_t n_digits = JOB_ID_SHOWN;

        while (n_digits < JOB_ID_MAX && !jobs_differ(entries, n_digits))
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

/* A copy of @entry as the table has it: an id of @n_digits, and the user only if @users. NULL if memory ran out. */
static json_t *row_of(const json_t *entry, size_t n_digits, bool users) {
        const char *job = json_text_at(entry, "run_id");
        _cleanup_(json_decrefp) json_t *row = json_copy((json_t *)entry);

        if (!row || json_object_set_new(row, "run_id", json_sprintf("%.*s", (int)n_digits, job ? job : "?")) < 0)
                return NULL;
        if (!users)
                (void)json_object_del(row, "uid");
        return take_pointer(row);
}

static int add_entry(Grid *grid, const json_t *entry, size_t n_digits, bool users) {
        _cleanup_(json_decrefp) json_t *row = row_of(entry, n_digits, users);

        return row ? error_trace(grid_add(grid, row, NULL)) : error_origin(-ENOMEM);
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
        Columns columns;
        int r;

        if (json_array_size(entries) == 0) {
                fputs("No jobs.\n", out);
                print_removed(history, view, out);
                report_warnings(json_at(history, "warnings"), view, out);
                return 0;
        }
        columns_choose_all(TABLE_HISTORY, &columns);
        r = grid_new(columns.columns, columns.n, &grid);
        if (r)
                return error_trace(r);
        r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(entries); i++)
                r = add_entry(grid, json_array_get(entries, i), n_digits, users);
        if (r)
                return error_trace(r);
        grid_print(grid, view, columns_table(TABLE_HISTORY)->rank_told, out);
        print_removed(history, view, out);
        report_warnings(json_at(history, "warnings"), view, out);
        return 0;
}

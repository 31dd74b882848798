/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/show.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "ctl/grid.h"
#include "ctl/json-path.h"
#include "ctl/printable.h"
#include "ctl/report.h"
#include "ctl/row.h"
#include "util/cleanup.h"
#include "util/error.h"

#define JSON_DIGITS 15 /* decimal digits that every double keeps in text */

/* ---- the formats */

static const ShowFormat formats[] = {
        { "table", show_table },
        { "details", show_details },
        { "json", show_json },
        { "mark", show_mark },
};

const ShowFormat *show_find(const char *name) {
        for (size_t i = 0; i < N_ELEMENTS(formats); i++)
                if (strcmp(formats[i].name, name) == 0)
                        return &formats[i];
        return NULL;
}

/* ---- the default: a report for eyes, at 120 to 160 columns */

/* A detached job's id stands alone on its line, for scripts. */
static int show_accepted(const json_t *accepted, bool color, FILE *out) {
        const char *job = json_text_at(accepted, "run_id");

        fprintf(out, "%s\n", job ? job : "?");
        return 0;
}

/* A change that went well needs no words. */
static int show_change(const json_t *change, bool color, FILE *out) {
        return 0;
}

typedef int (*TablePrint)(const json_t *json, bool color, FILE *out);

static const TablePrint prints[] = {
        [SHOW_RESULT] = report_result,
        [SHOW_LISTING] = report_listing,
        [SHOW_STATUS] = report_status,
        [SHOW_HISTORY] = report_history,
        [SHOW_ACCEPTED] = show_accepted,
        [SHOW_CHANGE] = show_change,
        [SHOW_GOVERNOR] = report_governor,
};

int show_table(ShowKind kind, const json_t *json, bool color, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        return error_trace(prints[kind](printable, color, out));
}

/* ---- the table, and below that of a result the spread of its times */

DEFINE_CLEANUP(Grid *, grid_free)

static int show_spread(const json_t *result, bool color, FILE *out) {
        const json_t *benchmarks = json_at(result, "benchmarks");
        const RowLayout *layout = row_layout_spread();
        _cleanup_(grid_freep) Grid *grid = NULL;
        Footnotes footnotes = {};
        int r;

        r = row_grid_new(layout, &grid);
        if (r == 0)
                r = grid_add_titles(grid);
        for (size_t i = 0; r == 0 && i < json_array_size(benchmarks); i++)
                if (!json_at(json_array_get(benchmarks, i), "failed"))
                        r = row_add(layout, grid, json_array_get(benchmarks, i), &footnotes);
        if (r)
                return error_trace(r);
        grid_print(grid, color, out);
        return 0;
}

int show_details(ShowKind kind, const json_t *json, bool color, FILE *out) {
        _cleanup_(json_decrefp) json_t *printable = NULL;
        int r;

        r = show_table(kind, json, color, out);
        if (r || kind != SHOW_RESULT)
                return error_trace(r);
        r = printable_json(json, &printable);
        if (r)
                return error_trace(r);
        fputc('\n', out);
        return error_trace(show_spread(printable, color, out));
}

/* ---- JSON as the library made it, in two-space steps */

int show_json(ShowKind kind, const json_t *json, bool color, FILE *out) {
        errno = 0; /* jansson leaves that of a write as it is, and sets none of its own */
        if (json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS)) < 0)
                return error_origin(errno ? -errno : -EIO);
        fputc('\n', out);
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * The changes that set or restored a governor: one line for all files of one name that changed alike.
 */

#include <jansson.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/model/columns.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/cpu-list.h"
#include "util/error.h"

#define LIST_MAX 256u

/* Outcomes that need more than their own word. */
static const struct {
        const char *outcome, *words;
} outcome_words[] = {
        { "already", "already so" },
        { "denied", "denied: the daemon may not write it" },
        { "leased", "held by a lease, which restores it at its end" },
        { "left-alone", "left alone: another program changed it" },
        { "waiting", "cannot be restored yet: benchd will try again" },
        { "off", "its CPU is offline: done when it comes online" },
        { "overridden", "overridden: the machine chose another value" },
        { "unsupported", "this machine has no such file" },
        { "gone", "the file no longer exists" },
};

static const char *words_of(const char *outcome) {
        for (size_t i = 0; outcome && i < N_ELEMENTS(outcome_words); i++)
                if (strcmp(outcome_words[i].outcome, outcome) == 0)
                        return outcome_words[i].words;
        return outcome;
}

static void fill_policies(const char *path, const json_t *change, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const json_t *numbers = json_at(change, path);
        char list[LIST_MAX];
        cpu_set_t set;

        CPU_ZERO(&set);
        for (size_t i = 0; i < json_array_size(numbers); i++) {
                json_int_t number = json_integer_value(json_array_get(numbers, i));

                if (number >= 0 && number < CPU_SETSIZE)
                        CPU_SET(number, &set);
        }
        fputs(cpu_list_format(&set, list, LIST_MAX) > 0 ? list : "all", out);
}

static void fill_outcome(const char *path, const json_t *change, const Times *times, CellFootnotes *footnotes,
                FILE *out) {
        const char *words = words_of(json_text_at(change, path));

        fputs(words ? words : "", out);
}

static const Column governor_columns[] = {
        { NULL, "file", NULL, "file", cell_text, COLUMN_LEFT | COLUMN_HEAD, .least = 16 },
        { NULL, "policies", NULL, "policies", fill_policies, COLUMN_LEFT, .gap = 3 },
        { NULL, "was", NULL, "was", cell_text, COLUMN_LEFT, .gap = 3 },
        { NULL, "is", NULL, "is", cell_text, COLUMN_LEFT, .gap = 3 },
        { NULL, "outcome", NULL, "", fill_outcome, COLUMN_LEFT | COLUMN_PROSE, .gap = 3, .least = 30 },
};

int report_governor(const json_t *governor, const View *view, FILE *out) {
        _cleanup_(grid_freep) Grid *grid = NULL;
        const json_t *changes = json_at(governor, "changes");
        double more;
        int r;

        if (json_array_size(changes) == 0) {
                fputs("Nothing to change.\n", out);
                return 0;
        }
        r = grid_new(governor_columns, N_ELEMENTS(governor_columns), &grid);
        if (!r)
                r = grid_add_titles(grid);
        for (size_t i = 0; !r && i < json_array_size(changes); i++)
                r = grid_add(grid, json_array_get(changes, i), NULL);
        if (r)
                return error_trace(r);
        grid_print(grid, view, 0, out);
        if (json_number_at(governor, "more", &more) && more > 0)
                fprintf(out, "... and %.0f more\n", more);
        return 0;
}

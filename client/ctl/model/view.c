/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/model/view.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctl/model/columns.h"
#include "ctl/model/verb.h"

static const char *const sort_keys[_VIEW_SORT_N] = {
        [VIEW_SORT_NAME] = "name",
        [VIEW_SORT_TIME] = "time",
        [VIEW_SORT_RATIO] = "ratio",
};

static int check_sort(const char *sort_by, bool compares, ViewSort *ret_sort,
                char ret_problem[static VIEW_PROBLEM_MAX]) {
        for (ViewSort sort = VIEW_SORT_NAME; sort < _VIEW_SORT_N; sort++)
                if ((sort != VIEW_SORT_RATIO || compares) && strcmp(sort_keys[sort], sort_by) == 0) {
                        *ret_sort = sort;
                        return 0;
                }
        snprintf(ret_problem, VIEW_PROBLEM_MAX, "unknown key '%s' to sort by; keys are %s", sort_by,
                        compares ? "name, time and ratio" : "name and time");
        return VIEW_E_UNKNOWN;
}

/* The names that a table can have: of one machine or of several, of a run or of a comparison. */
static bool tables_have(ViewMachines machines, bool compared, const char *name, size_t n) {
        bool has = false;

        if (machines != VIEW_MACHINES_SEVERAL)
                has = columns_find(TABLE_COMPARISON, name, n) ||
                      (!compared && (columns_find(TABLE_RUN, name, n) || columns_find(TABLE_COMMANDS, name, n)));
        if (machines != VIEW_MACHINES_ONE)
                has = has || columns_find(compared ? TABLE_FLEET_COMPARISON : TABLE_FLEET, name, n) ||
                      (machines == VIEW_MACHINES_EITHER && columns_find(TABLE_FLEET_COMPARISON, name, n));
        return has;
}

static void print_columns(ViewMachines machines, bool compared, FILE *out) {
        if (machines == VIEW_MACHINES_SEVERAL)
                columns_print_names(compared ? TABLE_FLEET_COMPARISON : TABLE_FLEET, out);
        else
                columns_print_names(compared ? TABLE_COMPARISON : TABLE_RUN, out);
}

/* A command that shows results does not know yet whether they will be comparisons, so it takes the names of both tables. */
static int check_columns(const char *columns, bool compared, ViewMachines machines,
                char ret_problem[static VIEW_PROBLEM_MAX]) {
        for (const char *name = columns; *name; name += strspn(name, ",")) {
                const size_t n = strcspn(name, ",");
                FILE *out;

                if (tables_have(machines, compared, name, n)) {
                        name += n;
                        continue;
                }
                ret_problem[VIEW_PROBLEM_MAX - 1] = '\0';
                out = fmemopen(ret_problem, VIEW_PROBLEM_MAX - 1, "w");
                if (!out)
                        return VIEW_E_UNKNOWN;
                fprintf(out, "unknown column '%.*s'; columns%s are ", (int)n, name,
                                machines == VIEW_MACHINES_SEVERAL ? " for several machines" : "");
                print_columns(machines, compared, out);
                fclose(out);
                return VIEW_E_UNKNOWN;
        }
        return 0;
}

bool view_may_show(const Verb *verb, ColumnTableKind kind) {
        const bool of_commands = kind == TABLE_COMMANDS || kind == TABLE_COMMAND_COMPARISON;

        if (verb->traits & VERB_EXEC)
                return of_commands;
        if (verb->traits & VERB_COMPARE)
                return kind == TABLE_COMPARISON;
        if (verb->traits & VERB_RUN)
                return kind == TABLE_RUN || kind == TABLE_COMPARISON;
        return of_commands || kind == TABLE_RUN || kind == TABLE_COMPARISON;
}

int view_check(const char *columns, const char *sort_by, const Verb *verb, ViewMachines machines, ViewSort *ret_sort,
                char ret_problem[static VIEW_PROBLEM_MAX]) {
        int r = columns ? check_columns(columns, verb->traits & VERB_COMPARE, machines, ret_problem) : 0;

        return r == 0 && sort_by ? check_sort(sort_by, !(verb->traits & VERB_RUN), ret_sort, ret_problem) : r;
}

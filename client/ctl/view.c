/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/view.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ctl/fleet-row.h"
#include "ctl/report.h"
#include "ctl/row.h"
#include "ctl/verb.h"

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
                has = report_comparison_has_column(name, n) || (!compared && row_has_column(name, n));
        if (machines != VIEW_MACHINES_ONE)
                has = has || fleet_has_column(compared, name, n) ||
                      (machines == VIEW_MACHINES_EITHER && fleet_has_column(true, name, n));
        return has;
}

static void print_columns(ViewMachines machines, bool compared, FILE *out) {
        if (machines == VIEW_MACHINES_SEVERAL)
                fleet_print_columns(compared, out);
        else if (compared)
                report_comparison_print_columns(out);
        else
                row_print_columns(out);
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

int view_check(const char *columns, const char *sort_by, const Verb *verb, ViewMachines machines, ViewSort *ret_sort,
                char ret_problem[static VIEW_PROBLEM_MAX]) {
        int r = columns ? check_columns(columns, verb->traits & VERB_COMPARE, machines, ret_problem) : 0;

        return r == 0 && sort_by ? check_sort(sort_by, !(verb->traits & VERB_RUN), ret_sort, ret_problem) : r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The view of a report: the terminal, and the parts that the user asked for.
 */

#include <stdbool.h>

#include "ctl/model/columns.h"
#include "ctl/model/times.h"

typedef struct Verb Verb;

#define VIEW_WIDTH 100u /* of a result without a terminal */

typedef enum ViewSort {
        VIEW_SORT_NONE, /* the module's order */
        VIEW_SORT_NAME,
        VIEW_SORT_TIME,
        VIEW_SORT_RATIO,
        _VIEW_SORT_N,
} ViewSort;

/* The machines of a table, as far as the command line says. */
typedef enum ViewMachines {
        VIEW_MACHINES_ONE,
        VIEW_MACHINES_SEVERAL,
        VIEW_MACHINES_EITHER, /* known only from a file */
} ViewMachines;

typedef struct View {
        unsigned width; /* terminal columns; 0: no limit */
        bool color;
        bool ascii;          /* the terminal shows no UTF-8 */
        bool markdown;       /* tables are Markdown */
        bool elsewhere;      /* results are shown with the name of their machine, which is not this one */
        bool details;        /* every column and every figure of a warning, however wide */
        const char *columns; /* comma-separated names; NULL: as many as fit */
        ViewSort sort;
        Times times;       /* of its tables; the yardstick is the one of the shown result */
        const char *scale; /* the benchmark for the yardstick; empty: the run's reference; NULL: the run decides */
} View;

enum {
        _VIEW_E_SUCCESS,

        VIEW_E_UNKNOWN, /* an unknown column or key: @ret_problem lists the known ones */
};

#define VIEW_PROBLEM_MAX 512u

/* True if tables of @verb on one machine may be of @kind, of benchmarks or commands. A run is compared with --baseline. */
bool view_may_show(const Verb *verb, ColumnTableKind kind);

/* Checks --columns and --sort (NULL: not given) against the tables that @verb has for @machines. Returns 0 or VIEW_E_UNKNOWN. */
int view_check(const char *columns, const char *sort_by, const Verb *verb, ViewMachines machines, ViewSort *ret_sort,
                char ret_problem[static VIEW_PROBLEM_MAX]);

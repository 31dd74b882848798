/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The eyes that a report is for: their terminal, and the parts of it that they asked to see.
 */

#include <stdbool.h>

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

/* The machines that a table is of, as far as the command line tells. */
typedef enum ViewMachines {
        VIEW_MACHINES_ONE,
        VIEW_MACHINES_SEVERAL,
        VIEW_MACHINES_EITHER, /* a file tells it */
} ViewMachines;

typedef struct View {
        unsigned width; /* terminal columns; 0: no limit */
        bool color;
        bool ascii;          /* the terminal shows no UTF-8 */
        bool markdown;       /* tables have the marks of Markdown */
        bool elsewhere;      /* a result is told with the name of its machine, which is not this one */
        bool details;        /* every column and every figure of a warning, however wide */
        const char *columns; /* names with commas between; NULL: as many as fit */
        ViewSort sort;
        Times times;       /* of its tables; the yardstick is that of the result which is shown */
        const char *scale; /* the benchmark that is to be that; empty: the run's reference; NULL: the run decides */
} View;

enum {
        _VIEW_E_SUCCESS,

        VIEW_E_UNKNOWN, /* a column or a key: @ret_problem says which there are */
};

#define VIEW_PROBLEM_MAX 512u

/*
 * Reads --columns and --sort, each NULL where it was not given, as far as @verb has such tables of @machines. Returns 0 or VIEW_E_UNKNOWN.
 */
int view_check(const char *columns, const char *sort_by, const Verb *verb, ViewMachines machines, ViewSort *ret_sort,
                char ret_problem[static VIEW_PROBLEM_MAX]);

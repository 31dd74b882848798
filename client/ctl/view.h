/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The eyes that a report is for: their terminal, and the parts of it that they asked to see.
 */

#include <stdbool.h>

#define VIEW_WIDTH 100u /* of a result without a terminal */

typedef enum ViewSort {
        VIEW_SORT_NONE, /* the module's order */
        VIEW_SORT_NAME,
        VIEW_SORT_TIME,
        VIEW_SORT_RATIO,
        _VIEW_SORT_N,
} ViewSort;

typedef struct View {
        unsigned width; /* terminal columns; 0: no limit */
        bool color;
        bool ascii;          /* the terminal shows no UTF-8 */
        bool details;        /* every column and every figure of a warning, however wide */
        const char *columns; /* names with commas between; NULL: as many as fit */
        ViewSort sort;
} View;

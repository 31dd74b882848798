/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Below the rows of a benchmark over its sizes: how its time grows with them.
 */

#include <stddef.h>

typedef struct Grid Grid;
typedef struct json_t json_t;

/* Adds the line of the sweep whose last row is the benchmark at @index; none where there is no sweep. Returns 0 or a negative errno. */
int report_sweep(Grid *grid, const json_t *result, size_t index);

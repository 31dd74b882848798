/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Times as multiples of one benchmark's, for --scale, and for MeasureIt's table whenever a module marks its reference.
 * The daemon measures and keeps times; scaling only shows them. Pure.
 */

typedef struct json_t json_t;

enum {
        _SCALE_E_SUCCESS,

        SCALE_E_NONE, /* no benchmark of that name has a time above zero; nothing was scaled */
};

/*
 * Divides the times of all benchmarks of @result by the headline of the one called @name (with or without its area); if
 * @name is NULL, of the one that is the reference of its method, if any. The field "scaled" marks each benchmark, and
 * "scale" the result. Returns 0, E_NONE (never with NULL), or a negative errno.
 */
int scale_apply(json_t *result, const char *name);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of earlier results that the filters of `show` choose.
 */

typedef struct Settings Settings;
typedef struct json_t json_t;

/*
 * Removes the rows of @results, an array, that no filter of @settings chooses, and names filters that match nothing. Returns 0 or an exit
 * code: that of no row left.
 */
int shown_rows_choose(const Settings *settings, json_t *results);

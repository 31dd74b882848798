/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

typedef struct json_t json_t;

/*
 * The largest part that a step of the clock is of a batch, over the processes in the headline of @row of @result: its times show no
 * less, and all may be off by it. 0 where they are not of the clock of @result.
 */
double clock_step_of(const json_t *result, const json_t *row);

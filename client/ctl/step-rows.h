/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The rows of a benchmark: one, or, where its method shows each count of iterations, one a count, which look like it but
 * for mean, deviation and count. What is said about the benchmark is said in the last. Pure.
 */

typedef struct json_t json_t;

/* Returns a new reference to an array of benchmarks, or NULL where memory is short. */
json_t *step_rows(const json_t *benchmark);

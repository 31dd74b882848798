/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The order of benchmarks in a result: their module's. They come as they complete, which is random, since their processes
 * are interleaved.
 */

typedef struct json_t json_t;

/* Sorts the array @benchmarks by the field "index". Returns 0 or a negative errno. */
int benchmark_order(json_t *benchmarks);

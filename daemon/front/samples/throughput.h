/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Throughput: items and bytes a second, of all threads together. Each thread has a rate of its own, what it told of an
 * iteration over the median time of its iterations; the process's rate is their sum, and the headline the mean of the
 * processes' logs, so that of one thread it is what it handles over the headline of the time. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/sample.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

/* Sums over processes, of the logs of what they handled a second. */
typedef struct ThroughputSums {
        double log_items;
        double log_bytes;
        size_t n_processes;
} ThroughputSums;

typedef struct Throughput {
        ThroughputSums quiet; /* by quiet samples, of those that gave a median of these */
        ThroughputSums all;   /* by all samples, of all processes */
} Throughput;

/*
 * Adds a process whose samples took @ns, one each, an operation; @worst is the class of sample that its median reaches to
 * (front/samples/quantity.h). Returns 0 or a negative errno.
 */
int throughput_add(Throughput *throughput, const SampleBlock *block, const double *ns, SampleClass worst);

/*
 * Builds the message, of quiet samples if the headline is @alone; none if nothing was told, or a time was not above zero.
 * Returns 0 or a negative errno.
 */
int throughput_report(const Throughput *throughput, bool alone, Arena *arena, Benchd__Throughput **ret_message);

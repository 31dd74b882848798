/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Throughput: items and bytes per second, of all threads together. A thread's rate is what it reported per iteration
 * divided by the median time of its iterations; a process's rate is the sum over its threads, and the headline is the
 * mean of the processes' logs. So with one thread the throughput is the amount per iteration divided by the headline of
 * the time. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

#include "front/base/arena.h"
#include "front/samples/sample.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

/* Sums over processes of the logs of their rates. */
typedef struct ThroughputSums {
        double log_items;
        double log_bytes;
        size_t n_processes;
} ThroughputSums;

typedef struct Throughput {
        ThroughputSums quiet; /* from quiet samples, of the processes with a quiet median */
        ThroughputSums all;   /* from all samples, of all processes */
} Throughput;

/*
 * Adds a process whose samples took @ns per operation; @worst is the worst class that its median includes (front/samples/quantity.h).
 * Returns 0 or a negative errno.
 */
int throughput_add(Throughput *throughput, const SampleBlock *block, const double *ns, SampleClass worst);

/*
 * Builds the message, from quiet samples if the headline is @alone; none if the body reported nothing, or a time was not above zero.
 * Returns 0 or a negative errno.
 */
int throughput_report(const Throughput *throughput, bool alone, Arena *arena, Benchd__Throughput **ret_message);

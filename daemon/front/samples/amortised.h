/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A rare slow part of a body, for example a table that grows: it lengthens few batches, so no median shows it, and on a shared core hardly
 * any of those batches is quiet. So the mean of an operation is the median plus the excess of batches that last longer than their
 * disturbance explains, whatever else marks them. Pure.
 *
 * A batch beside a neighbour may take as long as other batches beside one; an interrupt takes some time, and more interrupts fall into it;
 * and a hypervisor may take some tens of microseconds that no detector sees. Batches in which other threads or guests ran say nothing about
 * the body. A rare part is reported if nearly all processes have it and it makes a difference: a hypervisor takes a core unseen only now
 * and then.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"
#include "stats/interval.h"

#define AMORTISED_LONG 1.5 /* times the level of its kind: from here on a batch has a slow part */
#define AMORTISED_UNSEEN_NS                                                                                            \
 50000 /* that an interrupt may take, or a hypervisor unseen; interrupts of a longer batch a hundredth */
#define AMORTISED_BATCHES_MIN 5u   /* with the slow part, over all processes */
#define AMORTISED_PROCESSES   0.75 /* share that has it: a hypervisor takes a core unseen in fewer */
#define AMORTISED_MIN         0.01 /* least distance of the mean above the headline, relative */

/* The times of an operation of a process, by the kind of its batches; NaN: it has no such batches. */
typedef struct AmortisedLevels {
        double alone_ns;
        double shared_ns;
} AmortisedLevels;

typedef struct Amortised {
        double *extra_ns; /* of an operation, of each process */
        size_t n_processes;
        size_t n_with; /* processes that have such batches */
        uint64_t n_batches;
        uint64_t n_long;
        double long_ns; /* the sum of their excess over their level */
} Amortised;

void amortised_deinit(Amortised *amortised);

/*
 * Adds a process by its @block and the time of an operation of each sample. Returns 0 or a negative errno.
 */
int amortised_add(Amortised *amortised, const SampleBlock *block, const ClockFacts *clock, const double *ns,
                const AmortisedLevels *levels);

/* The rare part of a benchmark. */
typedef struct AmortisedFound {
        Interval mean;   /* of an operation */
        double batches;  /* one in this many has it */
        double extra_ns; /* and takes this much longer */
} AmortisedFound;

/*
 * Finds the rare part from the @medians of each process (NaN: none) at its place in @places, with the headline @point and half its interval
 * of logs, @half. Returns false if there is none.
 */
bool amortised_find(const Amortised *amortised, const double *medians, const uint32_t *places, double point,
                double half, AmortisedFound *ret_found);

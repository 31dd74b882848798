/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A rare slow part of a body, such as a table that grows: it makes few batches long, which no median tells of, and on a core that is
 * shared hardly one of those is quiet. So the mean of an operation is the median and the time beyond it of batches that last longer than
 * their disturbance explains, whatever else marks them. Pure.
 *
 * A batch beside a neighbour may take as long as others beside one do; an interrupt takes some time, and lets more of them in; and a
 * hypervisor that serves its own takes some tens of microseconds that no detector sees. Batches that
 * other threads or guests had part of tell nothing of the body. Such a part is told where nearly all processes have it and it makes a
 * difference: that the hypervisor takes a core unseen now and then is no body's own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/block.h"
#include "proto/benchd.pb-c.h"
#include "stats/interval.h"

#define AMORTISED_LONG 1.5 /* times the level of its kind: a batch with a slow part */
#define AMORTISED_UNSEEN_NS                                                                                            \
 50000 /* that an interrupt may take, or a hypervisor unseen; interrupts of a longer batch a hundredth */
#define AMORTISED_BATCHES_MIN 5u   /* with it, of all processes */
#define AMORTISED_PROCESSES   0.75 /* that have it, of all: the hypervisor takes a core unseen in fewer */
#define AMORTISED_MIN         0.01 /* of the headline, by which the mean is above it */

/* The times of an operation of a process by the kind of its batches; NaN: it has none of these. */
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
        double long_ns; /* of all of these together, beyond their level */
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
        double batches;  /* one of so many has it */
        double extra_ns; /* which takes so much longer */
} AmortisedFound;

/*
 * Finds it by the @medians of an operation of each process (NaN: none), each at its place of @places, where the headline is @point with
 * half an interval of @half on logs. False where there is none.
 */
bool amortised_find(const Amortised *amortised, const double *medians, const uint32_t *places, double point,
                double half, AmortisedFound *ret_found);

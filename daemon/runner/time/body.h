/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A body: one benchmark, alive on its own stack, run batch by batch.
 *
 * The author's function runs until its loop asks for a batch, and waits there until one is wanted. System calls and probes come first,
 * which leave other data in the caches. Then an eighth of the batch runs untimed, as a separate batch. The clock is read last before
 * the batch and first after it, on the benchmark's stack, so that no switch of stacks is timed. Any other way out of the loop than its
 * end becomes a RunnerEnd.
 *
 * If several threads run one benchmark, each has a body. The first runs .setup and .teardown while the others wait; all enter a batch
 * at the same time. A body that waits in vain for another ends without a reason.
 */

#include <stdint.h>

#include "clock/probe.h"
#include "ops/block.h"
#include "runner/count/count.h"
#include "runner/watch/usage.h"
#include "util/cleanup.h"

struct bench_descriptor;

typedef struct Barrier Barrier;
typedef struct Body Body;

typedef enum BodyState {
        BODY_WAITS,    /* in its loop, for a batch */
        BODY_COMPLETE, /* its loop and the rest of it ran to the end */
        BODY_ENDED,    /* any other way: body_end() says which */
} BodyState;

/* One batch as the clock saw it. */
typedef struct BodyBatch {
        uint64_t iterations;
        bool led;             /* untimed iterations ran right before it */
        uint64_t began_ticks; /* right after the probes, so including untimed iterations */
        uint64_t start_ticks;
        uint64_t stop_ticks;
        uint32_t cpu_start;
        uint32_t cpu_stop;
        uint64_t paused_ticks;
        uint64_t n_pauses;
        double manual_ns;                         /* reported by the body, or CPU time; 0: timed by ticks */
        uint64_t cpu_ns;                          /* CPU time, if that clock times it */
        uint32_t n_counted;                       /* counters reported within the loop, so far */
        double counts[SAMPLE_BLOCK_COUNTERS_MAX]; /* ... summed over the iterations of this batch */
        uint32_t flags;                           /* MARK_* of the plan's detectors */
        ProbeReading before,
                        after; /* of the probes before it and its untimed iterations, and right after it; 0: no probes */
        Usage usage;
} BodyBatch;

/* The counting library, and its totals right before and right after the last batch. */
typedef struct BodyCounting {
        CountBegin *begin;
        CountEnd *end;
        CountRead *read;
        CountTotals before;
        CountTotals after;
} BodyCounting;

/* The amounts that the body reported through bench_ops() and similar functions. */
typedef struct BodyTold {
        SampleThread thread;
        uintptr_t loop_address;
        uint32_t inputs_max;           /* 0: none were asked for */
        const SampleCounter *counters; /* the body's */
        uint32_t n_counters;
        const SampleCounter *counted; /* those that it reports within the loop: their names */
        uint32_t n_counted;
        const char *label;        /* the body's; empty: none */
        UsageClockCost cpu_clock; /* of the CPU-time clock, if that timed it; else 0 */
} BodyTold;

/* The stack that a body runs on. */
typedef enum BodyStack {
        BODY_STACK_OWN,   /* its thread's, as in a program; only one live body of a thread can have it */
        BODY_STACK_ASIDE, /* a separate one */
} BodyStack;

/* Makes a body of @descriptor with the arguments of side @side of @plan and its stack offset. Both must outlive it. Returns 0 or a negative errno. */
int body_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                Body **ret_body);

/*
 * Makes it the body of @thread (from 0) of a group that meets at @meeting, which must outlive it. @first, the body of thread
 * 0, runs .setup, and this body uses its context. Call it before body_start().
 */
void body_join(Body *body, uint32_t thread, Barrier *meeting, const Body *first);
Body *body_free(Body *body);
DEFINE_CLEANUP(Body *, body_free)

/* Runs .setup and the body up to its loop. */
BodyState body_start(Body *body);

/* The most iterations in a batch of a waiting body. */
uint64_t body_iterations_max(const Body *body);

/* Runs one batch of @iterations (1 or more) of a waiting body. On BODY_WAITS, *@ret_batch has the results. */
BodyState body_run_batch(Body *body, uint64_t iterations, BodyBatch *ret_batch);

/* Counts the allocations of each batch from now on, into @counting, which must outlive it. */
void body_count(Body *body, BodyCounting *counting);

/* Ends the loop of a waiting body, and runs the rest of it and .teardown. */
BodyState body_finish(Body *body);

/* Returns how it ended, with the author's or the runner's message. */
RunnerEnd body_end(const Body *body, const char **ret_message);

void body_tell(const Body *body, BodyTold *ret_told);

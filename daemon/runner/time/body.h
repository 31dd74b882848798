/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A body: one benchmark, alive on a stack that nothing else uses, run batch by batch.
 *
 * The author's function runs until its loop asks for a batch; there it stands still until somebody wants one. System calls and
 * probes come first, which leave other data in the caches. Then an eighth of the batch runs, untimed, as a batch of its own. The clock
 * is read as the last thing before the batch and as the first thing after it, on the benchmark's own stack, so that no
 * switch of stacks is timed. Whatever way the body leaves the loop other than to its end becomes a RunnerEnd.
 *
 * If several threads run one benchmark, each has a body. .setup and .teardown are run by the first, while the others
 * wait; all of them go into a batch at the same time. One that the others wait for in vain ends without a reason of its own.
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
        BODY_COMPLETE, /* its loop ran to the end, and so did it */
        BODY_ENDED,    /* any other way: body_end() says which */
} BodyState;

/* One batch as the clock saw it. */
typedef struct BodyBatch {
        uint64_t iterations;
        bool led;             /* iterations ran untimed right before it */
        uint64_t began_ticks; /* right after the probes: with what runs untimed before the clock starts */
        uint64_t start_ticks;
        uint64_t stop_ticks;
        uint32_t cpu_start;
        uint32_t cpu_stop;
        uint64_t paused_ticks;
        uint64_t n_pauses;
        double manual_ns; /* that the body told, or of CPU time; 0: by ticks */
        uint64_t cpu_ns;  /* of the clock of CPU time, if that times it */
        uint32_t flags;   /* MARK_*, of those detectors that the plan names */
        ProbeReading before,
                        after; /* of the probes right before it and what runs untimed, and right after it; 0: the core has none */
        Usage usage;
} BodyBatch;

/* The counting library, and what it told of the last batch: with nothing in between but the batch. */
typedef struct BodyCounting {
        CountBegin *begin;
        CountEnd *end;
        CountRead *read;
        CountTotals before;
        CountTotals after;
} BodyCounting;

/* The amounts that the body told through bench_ops() and its like. */
typedef struct BodyTold {
        SampleThread thread;
        uintptr_t loop_address;
        uint32_t inputs_max;           /* 0: none were asked for */
        const SampleCounter *counters; /* the body's */
        uint32_t n_counters;
        const char *label;        /* the body's; empty: it gave none */
        UsageClockCost cpu_clock; /* of the clock of CPU time, if that timed it; else 0 */
} BodyTold;

/* The stack that a body runs on. */
typedef enum BodyStack {
        BODY_STACK_OWN,   /* its thread's, as in a program; of those alive on a thread one has it */
        BODY_STACK_ASIDE, /* one made for it */
} BodyStack;

/* Makes a body of @descriptor with the arguments of side @side of @plan and its stack offset. Both must outlive it. Returns 0 or a negative errno. */
int body_new(const struct bench_descriptor *descriptor, const RunnerPlan *plan, uint32_t side, BodyStack stack,
                Body **ret_body);

/*
 * Makes it the body of @thread (from 0) of those that meet at @meeting, which must outlive it. @first, that of thread 0, runs
 * .setup, whose context it takes over. Before it is started.
 */
void body_join(Body *body, uint32_t thread, Barrier *meeting, const Body *first);
Body *body_free(Body *body);
DEFINE_CLEANUP(Body *, body_free)

/* Runs .setup and the body up to its loop. */
BodyState body_start(Body *body);

/* The most iterations that a batch of a body that waits may have. */
uint64_t body_iterations_max(const Body *body);

/* Runs one batch of @iterations (1 or more) of a body that waits. On BODY_WAITS, *@ret_batch says how it went. */
BodyState body_run_batch(Body *body, uint64_t iterations, BodyBatch *ret_batch);

/* Has what each batch from now on allocates counted, into @counting, which must outlive it. */
void body_count(Body *body, BodyCounting *counting);

/* Lets the loop of a body that waits end, and runs the rest of it and .teardown. */
BodyState body_finish(Body *body);

/* How it ended, and the author's or the runner's words on it. */
RunnerEnd body_end(const Body *body, const char **ret_message);

void body_tell(const Body *body, BodyTold *ret_told);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two processes on one CPU that take turns: the process of the side that begins leads, and asks the other for each step of its team. They hand
 * over through futexes in a shared page after their blocks. The waiting process sleeps, so it takes no CPU while the other's body blocks (a
 * hand-over takes some 3.5 µs; sched_yield() takes half of that, but spins).
 *
 * Only processes of the submitter write and read the page. If one dies the other keeps waiting: the launcher ends both.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/time/beside.h"
#include "runner/time/body.h"

/* The next batch of all members of a team. */
typedef struct LockstepBatch {
        uint64_t iterations; /* 1 or more */
        bool sample;         /* with the readings beside a sample */
        bool adjacent;       /* nothing ran between the last batch and this one */
} LockstepBatch;

typedef enum LockstepStep {
        LOCKSTEP_START, /* set-up, up to the loop */
        LOCKSTEP_BATCH,
        LOCKSTEP_FINISH, /* the rest of the body, and its tear-down */
        LOCKSTEP_TELL,   /* report everything in its own block */
} LockstepStep;

typedef struct LockstepPage {
        _Atomic uint32_t n_asked; /* steps, by the leader: a futex */
        _Atomic uint32_t n_done;  /* ... and by the other process */
        uint32_t step;            /* LockstepStep */
        uint32_t phase;           /* RunnerPhase of the step */
        LockstepBatch batch;

        /* the answer */
        uint32_t state; /* BodyState */
        bool resets;    /* state is reset after each batch */
        bool unprimed;  /* no separate first call */
        uint64_t iterations_max;
        BodyBatch done;
        Beside beside; /* except its clock, which the plan has */
} LockstepPage;

_Static_assert(sizeof(LockstepPage) <= BLOCK_LOCKSTEP_BYTES, "the page has room for it");

/* The page after the blocks at @blocks of @plan, which has two sides. */
LockstepPage *lockstep_page(const RunnerPlan *plan, SampleBlock *blocks);

/* Asks the other process for @step, and waits until it is done. */
void lockstep_ask(LockstepPage *page, LockstepStep step);

/* In the other process: wait for the step after @n_done steps; report that it is done. */
LockstepStep lockstep_hear(LockstepPage *page, uint32_t n_done);
void lockstep_answer(LockstepPage *page);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two processes on one CPU that take turns: the one of the side that begins leads, and asks the other one for each step of its team. They hand
 * over through futexes in a page that they share, behind their blocks: whoever waits sleeps, so that a body that blocks has the CPU of
 * nobody (a hand-over takes some 3.5 µs; sched_yield() takes half of that, and spins meanwhile).
 *
 * The page is written by processes of the submitter's, like the blocks, and read by no other. One that dies leaves the other one waiting: the
 * launcher ends both.
 */

#include <stdatomic.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/time/beside.h"
#include "runner/time/body.h"

/* The batch that every member of a team is to run. */
typedef struct LockstepBatch {
        uint64_t iterations; /* 1 or more */
        bool sample;         /* with what is read beside one */
        bool adjacent;       /* nothing came between the last batch and this one */
} LockstepBatch;

typedef enum LockstepStep {
        LOCKSTEP_START, /* set-up, up to the loop */
        LOCKSTEP_BATCH,
        LOCKSTEP_FINISH, /* the rest of the body, and its tear-down */
        LOCKSTEP_TELL,   /* what there is to tell, into the block of its own */
} LockstepStep;

typedef struct LockstepPage {
        _Atomic uint32_t n_asked; /* steps, by the one that leads: a futex */
        _Atomic uint32_t n_done;  /* ... and by the other one */
        uint32_t step;            /* LockstepStep */
        uint32_t phase;           /* RunnerPhase that it is for */
        LockstepBatch batch;

        /* the answer */
        uint32_t state; /* BodyState */
        bool resets;    /* state is reset after each batch */
        bool unprimed;  /* no first call apart */
        uint64_t iterations_max;
        BodyBatch done;
        Beside beside; /* but for its clock, which is the plan's */
} LockstepPage;

_Static_assert(sizeof(LockstepPage) <= BLOCK_LOCKSTEP_BYTES, "the page has room for it");

/* The page behind the blocks at @blocks of @plan, which has two sides. */
LockstepPage *lockstep_page(const RunnerPlan *plan, SampleBlock *blocks);

/* Has the other process do @step, and waits until it is done. */
void lockstep_ask(LockstepPage *page, LockstepStep step);

/* In the other process: waits for the step behind @n_done steps; tells that it is done. */
LockstepStep lockstep_hear(LockstepPage *page, uint32_t n_done);
void lockstep_answer(LockstepPage *page);

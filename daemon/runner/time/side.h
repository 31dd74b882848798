/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A side of a measurement: the team that runs its benchmark, and the block for its results. A run has one side, a comparison
 * two that take turns, each in its own process; the leading process has both, the other one through its page
 * (runner/time/lockstep.h).
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ops/block.h"
#include "runner/time/body.h"

/*
 * The control run: effects of the program itself, learnt from its last batches before the samples, so that they never count
 * as disturbances (benchd-methods(7)). Pure.
 *
 * A page fault clears the canary (runner/watch/detect.h). Blocking clears the sequence, as does work that the kernel defers
 * until a thread returns to user code: delivering a signal, the last close of a mapped file. If most of those batches
 * faulted, the canary would mark the program's own work, and is switched off. If the sequence was clear after most of them
 * although the CPU was not taken, that is switched off. The decision is made before the first sample.
 *
 * Code can leave the core slower for some microseconds: wide vector units, cold caches. The probes after each batch
 * then look as if there was a neighbour, although the probes before it found the core alone. If this holds for most
 * batches, the probes prove nothing.
 */

typedef struct BesideProbes BesideProbes;

#define SIDE_CONTROL_BATCHES 8u

typedef struct SideControl {
        uint8_t own[SIDE_CONTROL_BATCHES]; /* of the latest batches: DETECTOR_* that their own work would trigger */
        uint32_t n_noted;
        uint32_t n_probed;
        uint32_t n_found_alone;            /* batches with probes before them that were not slow */
        uint32_t n_left_slow;              /* ... and slow probes after them */
        bool waited[SIDE_CONTROL_BATCHES]; /* of the latest batches: the body gave up the CPU */
} SideControl;

/* Notes a batch that is not a sample, with its @usage and the MARK_* @flags of the detectors. */
void side_control_note(SideControl *control, const Usage *usage, uint32_t flags);

void side_control_note_probes(SideControl *control, const BesideProbes *slow);

/* True if the body itself makes the probes after it slow. */
bool side_control_blames_body(const SideControl *control);

/*
 * True if the body gave up the CPU in more than half of the latest batches. Such a body is timed without SCHED_FIFO, under which the kernel
 * allows no timer slack and wakes a thread before all others, so that sleeps and hand-overs take another time than in an ordinary program.
 */
bool side_control_waits(const SideControl *control);

/* The detectors that more than half of the latest batches would trigger themselves: DETECTOR_*. */
uint32_t side_control_switch_off(const SideControl *control);

struct bench_descriptor;

typedef struct BesideProbes BesideProbes;
typedef struct Conduct Conduct;
typedef struct LockstepPage LockstepPage;
typedef struct Team Team;

typedef struct Side {
        const RunnerPlan *plan;
        uint32_t index;     /* in the plan */
        LockstepPage *page; /* of the process that has the side; NULL: this process */
        bool resets;   /* state is reset after each batch; known for a side of another process once it is started */
        bool unprimed; /* no separate first call; known as above */
        Team *team;
        SampleBlock *block;
        SideControl control;
        void *heap_offset;
        struct timespec since; /* end of the set-up */
} Side;

/*
 * Makes side @index of @plan, whose block is set; the end of the process is reported in @head. All arguments must outlive it. False,
 * with an end in @head, on failure.
 */
bool side_init(Side *side, const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor,
                BlockHead *head);

/* Makes a side whose process follows this one through @page. */
bool side_init_other(Side *side, const RunnerPlan *plan, uint32_t index, LockstepPage *page, BlockHead *head);
void side_clear(Side *side);

/*
 * Allocates the plan's offset on the heap, and runs the body up to its loop. The speed of some code depends on where its memory
 * lies within a cache line or a page; without the offset that place would be the same in each process, but different for the
 * second side.
 */
BodyState side_start(Side *side);

/*
 * Call it after the set-up: locks memory if @may_lock, which needs a launcher, and checks the module's conduct so far.
 */
void side_after_setup(Side *side, Conduct *conduct, bool may_lock);

/*
 * Note the last batch: one before the samples, such as the first call, or a sample; a fresh sample is the first that
 * counts.
 */
void side_note_unsampled(Side *side, RunnerPhase phase);
void side_note_sample(Side *side, bool fresh);

/* True if the body gives up its CPU by itself, by the batches before the samples. */
bool side_waits(const Side *side);

/* True if the probes beside the last batch of any thread found the core shared. */
bool side_is_shared(const Side *side);

/* True if the probes beside its last @n batches found the core shared by their mean, which is more sensitive. */
bool side_stretch_is_slow(const Side *side, uint32_t n);

/*
 * Mark the samples of its last batch but @n_back as next to a shared one; or return true if none of them has a flag
 * among @flags.
 */
void side_mark_next(Side *side, uint32_t n_back);
bool side_has_none(const Side *side, uint32_t n_back, uint32_t flags);

/* Reports the process's memory, before the tear-down frees what the loop read. */
void side_tell_memory(Side *side);

/* Reports the body and the process's conditions at the end. */
void side_tell(Side *side);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A side of what is measured: the team that runs its benchmark, and the block in which it is told. A run has one side, a
 * comparison two that take turns, each in a process of its own; the process that leads has both, the other one's through its
 * page (runner/time/lockstep.h).
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "ops/block.h"
#include "runner/time/body.h"

/*
 * The control run: a program's own doings, learnt from its last batches before the samples, and never counted as a
 * disturbance of them (benchd-methods(7)). Pure.
 *
 * A page fault clears the canary (runner/watch/detect.h). To block clears the sequence, and so does what the kernel puts off
 * until a thread returns from it: to deliver a signal, to close a file that was mapped last. If most of those batches
 * faulted, the canary would mark the program's own work, and is switched off. If the sequence was clear after most of
 * them though the CPU was not taken, it is. The decision stands before the first sample.
 *
 * Code can leave the core slower than it found it, for some microseconds: wide vector units, cold caches. The probes
 * after each batch would then take the body for a neighbour, though those before it find the core alone. If both are so
 * of most batches, they say nothing.
 */

typedef struct BesideProbes BesideProbes;

#define SIDE_CONTROL_BATCHES 8u

typedef struct SideControl {
        uint8_t own[SIDE_CONTROL_BATCHES]; /* of the latest batches: DETECTOR_* that their own work would fire */
        uint32_t n_noted;
        uint32_t n_probed;
        uint32_t n_found_alone;            /* batches whose probes before were not slow */
        uint32_t n_left_slow;              /* ... of which those after were */
        bool waited[SIDE_CONTROL_BATCHES]; /* of the latest batches: it gave the CPU up */
} SideControl;

/* Notes a batch that is no sample, of @usage and MARK_* @flags, as the detectors had them. */
void side_control_note(SideControl *control, const Usage *usage, uint32_t flags);

void side_control_note_probes(SideControl *control, const BesideProbes *slow);

/* Tells whether it is the body that the probes after it see. */
bool side_control_blames_body(const SideControl *control);

/*
 * Tells whether the body gave the CPU up in more than half of the latest batches. Such a body is timed without SCHED_FIFO: at it the kernel
 * lets no timer be late, and wakes a thread before all others, so that a sleep and a hand-over take another time than in a program.
 */
bool side_control_waits(const SideControl *control);

/* The detectors that more than half of the latest batches would fire themselves: DETECTOR_*. */
uint32_t side_control_switch_off(const SideControl *control);

struct bench_descriptor;

typedef struct BesideProbes BesideProbes;
typedef struct Conduct Conduct;
typedef struct LockstepPage LockstepPage;
typedef struct Team Team;

typedef struct Side {
        const RunnerPlan *plan;
        uint32_t index;     /* in the plan */
        LockstepPage *page; /* of the process that has it; NULL: this one */
        bool resets;        /* state is reset after each batch: of a side of another process once it is started */
        bool unprimed;      /* no first call apart: the same */
        Team *team;
        SampleBlock *block;
        SideControl control;
        void *heap_offset;
        struct timespec since; /* the set-up was done */
} Side;

/*
 * Makes side @index of @plan, whose block is set; how the process ends is reported in @head. All must outlive it. False, with an end in
 * @head, where that does not work.
 */
bool side_init(Side *side, const RunnerPlan *plan, uint32_t index, const struct bench_descriptor *descriptor,
                BlockHead *head);

/* The same of a side whose process follows this one through @page. */
bool side_init_other(Side *side, const RunnerPlan *plan, uint32_t index, LockstepPage *page, BlockHead *head);
void side_clear(Side *side);

/*
 * Takes what the plan wants taken of the heap, and runs the body up to its loop. How fast some code is depends on where its memory
 * lies within a cache line or a page, which without this is the same in each process, and another for the second side.
 */
BodyState side_start(Side *side);

/* After the set-up: locks memory where there is a launcher that @may it, and looks at the module's doings so far. */
void side_after_setup(Side *side, Conduct *conduct, bool may_lock);

/* Notes the last batch: one before the samples, the first call among them, or a sample; a fresh one is the first that counts. */
void side_note_unsampled(Side *side, RunnerPhase phase);
void side_note_sample(Side *side, bool fresh);

/* Tells whether the body gives its CPU up by itself, as far as the batches before the samples show. */
bool side_waits(const Side *side);

/* Tells whether the probes beside its last batch, of any thread, found the core shared. */
bool side_is_shared(const Side *side);

/* ... or those beside its last @n batches faintly, by their mean. */
bool side_stretch_is_slow(const Side *side, uint32_t n);

/* Marks the samples of its last batch but @n_back as next to a shared one; or says whether none of them has a flag among @flags. */
void side_mark_next(Side *side, uint32_t n_back);
bool side_has_none(const Side *side, uint32_t n_back, uint32_t flags);

/* Tells of the process's memory, before the tear-down frees what the loop read. */
void side_tell_memory(Side *side);

/* Tells what there is to tell at the end: of the body, and of what the process had. */
void side_tell(Side *side);

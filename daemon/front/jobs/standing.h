/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Standing of a run in the queue, as sent in replies: how long it waits for its next turn, and for how many others. An estimate from the
 * expected times of all runs: first from their plans, later from their finished processes.
 */

#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

#define STANDING_MAX 64u /* in one reply: each computation walks all jobs */

typedef struct Queue Queue;
typedef struct QueuePlace QueuePlace;

/* The standing of the run at @place of @queue at @now_ns, in @arena; NULL if it does not wait, or memory ran out. */
Benchd__Standing *standing_of_place(const Queue *queue, const QueuePlace *place, uint64_t now_ns, Arena *arena);

/* The standing of a run that rests until @due_ns; NULL where memory ran out. */
Benchd__Standing *standing_of_rest(uint64_t due_ns, uint64_t now_ns, Arena *arena);

/* The standing of a run that @uid would submit now. */
Benchd__Standing *standing_of_next(const Queue *queue, uid_t uid, uint64_t now_ns, Arena *arena);

/* The number of jobs ahead of @place: jobs with a turn, and jobs that get one earlier. */
uint32_t standing_position(const Queue *queue, const QueuePlace *place, uint64_t now_ns);

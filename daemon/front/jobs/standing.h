/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The standing of a run in the queue, as replies tell it: how long it waits for its next turn, and for whom. An estimate by the
 * times that are expected of all runs, from their plans and then from what was seen of their processes.
 */

#include <stdint.h>
#include <sys/types.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

#define STANDING_MAX 64u /* in one reply: each looks at all jobs */

typedef struct Queue Queue;
typedef struct QueuePlace QueuePlace;

/* The standing of the run at @place of @queue at @now_ns, in @arena; NULL while it does not wait, or without memory. */
Benchd__Standing *standing_of_place(const Queue *queue, const QueuePlace *place, uint64_t now_ns, Arena *arena);

/* ... and of a run that @uid would submit. */
Benchd__Standing *standing_of_next(const Queue *queue, uid_t uid, uint64_t now_ns, Arena *arena);

/* The number of jobs before that at @place: those that have their turn, and those that come before it. */
uint32_t standing_position(const Queue *queue, const QueuePlace *place, uint64_t now_ns);

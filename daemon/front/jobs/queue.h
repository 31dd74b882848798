/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The queue of what waits to be measured: first come, first served, one at a time, so that no measurement disturbs
 * another; or as many at once as somebody chose who has the cores for it. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

/* A place in the queue, part of who waits. */
typedef struct QueuePlace {
        TAILQ_ENTRY(QueuePlace) places;
        bool waiting;
        bool has_turn;
        void *owner;
} QueuePlace;

typedef struct Queue {
        TAILQ_HEAD(, QueuePlace) places;
        size_t n_waiting;
        size_t n_turns; /* whose turn it is */
        size_t most;    /* of these */
} Queue;

/* @most (1 or more) have their turn at once. */
void queue_init(Queue *queue, size_t most);

/* Appends @place, of @owner, which is not in the queue. */
void queue_add(Queue *queue, QueuePlace *place, void *owner);

/* Takes @place out, wherever it stands; nothing if it is not in the queue. */
void queue_remove(Queue *queue, QueuePlace *place);

/* If a turn is to be had, makes it the first one's. Returns its owner, or NULL if nothing changed. */
void *queue_advance(Queue *queue);

/* Counts the places before @place: those that wait, and those whose turn it is. */
size_t queue_position(const Queue *queue, const QueuePlace *place);

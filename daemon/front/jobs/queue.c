/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/queue.h"

void queue_init(Queue *queue, size_t most) {
        *queue = (Queue){ .most = most };
        TAILQ_INIT(&queue->places);
}

void queue_add(Queue *queue, QueuePlace *place, void *owner) {
        *place = (QueuePlace){ .waiting = true, .owner = owner };
        TAILQ_INSERT_TAIL(&queue->places, place, places);
        queue->n_waiting++;
}

static void queue_take_out(Queue *queue, QueuePlace *place) {
        TAILQ_REMOVE(&queue->places, place, places);
        place->waiting = false;
        queue->n_waiting--;
}

void queue_remove(Queue *queue, QueuePlace *place) {
        if (place->waiting)
                queue_take_out(queue, place);
        if (place->has_turn)
                queue->n_turns--;
        place->has_turn = false;
}

void *queue_advance(Queue *queue) {
        QueuePlace *first = TAILQ_FIRST(&queue->places);

        if (queue->n_turns >= queue->most || !first)
                return NULL;
        queue_take_out(queue, first);
        first->has_turn = true;
        queue->n_turns++;
        return first->owner;
}

size_t queue_position(const Queue *queue, const QueuePlace *place) {
        size_t n = queue->n_turns;
        const QueuePlace *other;

        TAILQ_FOREACH(other, &queue->places, places) {
                if (other == place)
                        return n;
                n++;
        }
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Records for the other half that found no room in the socket. They wait with copies of their descriptors, in the order in which they
 * were sent, so neither half ever waits for the other.
 */

#include <stddef.h>
#include <sys/queue.h>

#include "ops/ops.h"

typedef struct QueuedRecord QueuedRecord;

typedef struct RecordQueue {
        STAILQ_HEAD(, QueuedRecord) records;
        size_t n;
} RecordQueue;

void record_queue_init(RecordQueue *queue);

/*
 * Sends @record to @fd with @n_fds descriptors, which stay the caller's, or queues it where others wait or there is no room. Returns 0,
 * OPS_E_CLOSED, or a negative errno.
 */
int record_queue_send(RecordQueue *queue, int fd, const OpsRecord *record, const int *fds, size_t n_fds);

/* Sends those for which there is room. Returns 0, also where some are left, OPS_E_CLOSED, or a negative errno. */
int record_queue_flush(RecordQueue *queue, int fd);

/* Drops all. */
void record_queue_clear(RecordQueue *queue);

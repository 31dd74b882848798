/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The packets that each half sends the other. The first is its build, then come records. A record that finds no room in the socket
 * waits in a queue with copies of its descriptors, so neither half ever blocks on the other.
 */

#include <stddef.h>
#include <sys/queue.h>

#include "ops/build.h"
#include "ops/ops.h"

typedef struct QueuedRecord QueuedRecord;

typedef struct RecordQueue {
        STAILQ_HEAD(, QueuedRecord) records;
        size_t n;
} RecordQueue;

void record_queue_init(RecordQueue *queue);

/*
 * Sends @record to @fd with @n_fds descriptors, which stay the caller's, or queues it if others wait or there is no room. Returns 0,
 * OPS_E_CLOSED, or a negative errno.
 */
int record_queue_send(RecordQueue *queue, int fd, const OpsRecord *record, const int *fds, size_t n_fds);

/* Sends queued records while there is room. Returns 0, also if some are left, OPS_E_CLOSED, or a negative errno. */
int record_queue_flush(RecordQueue *queue, int fd);

/* Drops all queued records. */
void record_queue_clear(RecordQueue *queue);

enum {
        _RECORD_GREETING_E_SUCCESS,

        RECORD_GREETING_E_OTHER,  /* the peer is of another build */
        RECORD_GREETING_E_AGAIN,  /* none has come yet */
        RECORD_GREETING_E_CLOSED, /* the peer is gone */
};

/*
 * Greets the peer of the seqpacket socket @fd; must be the first packet sent. Returns 0, E_AGAIN, E_CLOSED, or a
 * negative errno.
 */
int record_greeting_send(int fd);

/*
 * Receives the peer's greeting, the first packet. Returns 0, E_OTHER with the text of its build, which is empty if the packet is no
 * greeting, E_AGAIN, E_CLOSED, or a negative errno.
 */
int record_greeting_receive(int fd, char ret_text[static BUILD_TEXT_MAX]);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The receivers (ops/receiver.h) of the clients: whoever sends descriptors is served by one of his own for as long as they are being
 * received and closed, those too that were passed on: so who sends gigabytes waits for their pages to be freed, and nobody else. One that is done serves the next user; one that waits in a close for ever holds up its user alone, whose tasks
 * queue there, and others get another one.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/call-filter.h"
#include "util/socket.h"

#define RECEIVERS_MAX 32u /* processes, and so users at once whose descriptors are waited for */

typedef struct ShareHold ShareHold;
typedef struct Receivers Receivers;
typedef struct ReceiversTask ReceiversTask;
typedef struct sd_event sd_event;

enum {
        _RECEIVERS_E_SUCCESS,

        RECEIVERS_E_FULL, /* all receivers are at work for other users */
};

/* The arrivals of a task. The descriptors, some of them stand-ins, are the caller's. */
typedef struct ReceiverArrivals {
        int outcome; /* 0, a SOCKET_E_*, or a negative errno */
        const uint8_t *data;
        size_t n_data;
        SocketFds fds;
} ReceiverArrivals;

/* Told once, from the loop. */
typedef void (*ReceiversTell)(void *userdata, ReceiverArrivals *received);

/* Each has @calls for a system call that it does not need. Returns 0 or a negative errno. */
int receivers_new(sd_event *event, CallFilterMode calls, Receivers **ret_receivers);
Receivers *receivers_free(Receivers *receivers);

/*
 * Has up to @n_data bytes and @n_fds descriptors received from the socket @fd of @uid, which stays the caller's, and tells @tell. Nothing
 * else may read from it until then. Returns 0, E_FULL, or a negative errno.
 */
int receivers_receive(Receivers *receivers, uid_t uid, int fd, size_t n_data, size_t n_fds, ReceiversTell tell,
                void *userdata, ReceiversTask **ret_task);

/* Nobody is told of the task any more. NULL is none. */
void receivers_forget(ReceiversTask *task);

/*
 * Closes the socket @fd of @uid: with something unread in it in a receiver of the user's. Its @place among the connections, or none, is given
 * back when it is closed. Both are taken.
 */
void receivers_close(Receivers *receivers, uid_t uid, int fd, ShareHold *place);

/* Closes files of @uid in a receiver of the user's, after which it receives further ones: a SharesClose (base/share.h) of the receivers. */
void receivers_close_files(void *userdata, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold);

/* The number of tasks under way: for tests, which wait for them. */
size_t receivers_count_tasks(const Receivers *receivers);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Receiver processes (ops/receiver.h) for descriptors that clients send. Each serves one user at a time, and receives and closes that
 * user's files, including files that were passed on to the launcher. So only the user who sent gigabytes waits until their pages are freed,
 * and a close that never returns blocks only its user, whose tasks queue up there. A receiver without tasks serves the next user.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/call-filter.h"
#include "util/socket.h"

#define RECEIVERS_MAX 32u /* processes, and so users at once */

typedef struct ShareHold ShareHold;
typedef struct Receivers Receivers;
typedef struct ReceiversTask ReceiversTask;
typedef struct sd_event sd_event;

enum {
        _RECEIVERS_E_SUCCESS,

        RECEIVERS_E_FULL, /* all receivers are busy for other users */
};

/* The data that a task received. The caller owns the descriptors, some of which are stand-ins. */
typedef struct ReceiverArrivals {
        int outcome; /* 0, a SOCKET_E_*, or a negative errno */
        const uint8_t *data;
        size_t n_data;
        SocketFds fds;
} ReceiverArrivals;

/* Called once, from the loop. */
typedef void (*ReceiversTell)(void *userdata, ReceiverArrivals *received);

/* @calls says what happens to a receiver that makes a system call it does not need. Returns 0 or a negative errno. */
int receivers_new(sd_event *event, CallFilterMode calls, Receivers **ret_receivers);
Receivers *receivers_free(Receivers *receivers);

/*
 * Receives up to @n_data bytes and @n_fds descriptors from the socket @fd of @uid, which stays the caller's, and then calls @tell. Until
 * then nothing else may read from the socket. Returns 0, E_FULL, or a negative errno.
 */
int receivers_receive(Receivers *receivers, uid_t uid, int fd, size_t n_data, size_t n_fds, ReceiversTell tell,
                void *userdata, ReceiversTask **ret_task);

/* Drops the callback of the task; NULL is allowed. */
void receivers_forget(ReceiversTask *task);

/*
 * Closes the socket @fd of @uid; if it holds unread data, in the user's receiver. Releases its @place among the connections, if any, once
 * it is closed. Takes both.
 */
void receivers_close(Receivers *receivers, uid_t uid, int fd, ShareHold *place);

/* Closes files of @uid in the user's receiver, before it receives more: a SharesClose (base/share.h). */
void receivers_close_files(void *userdata, uid_t uid, const int *fds, size_t n_fds, ShareHold *hold);

/* The number of tasks under way, for tests. */
size_t receivers_count_tasks(const Receivers *receivers);

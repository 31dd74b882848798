/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Receiver: an expendable process that alone takes, and alone closes, the descriptors that somebody sent.
 *
 * close() of a file whose server does not answer (FUSE, where the sender is the server, or NFS) waits for ever, and no signal ends it.
 * A thread that waits so would keep its whole process from ending. Therefore descriptors are received here: those that are proven to be
 * memory files (memfds), whose close waits for nobody, go on to the owner; in the place of each of the others the owner gets a
 * stand-in, which is no memory file either, and the other is closed here, after the report.
 *
 * A receiver is a fork of its owner without the owner's descriptors and capabilities, and with a filter of system calls that leaves it
 * these tasks alone (receiver-calls.h). It does them in order, and ends with its owner, unless it waits in a close.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/call-filter.h"
#include "util/socket.h"

#define RECEIVER_DATA_MAX (20u << 10) /* bytes at a time */

typedef enum ReceiverTaskKind {
        RECEIVER_TASK_RECEIVE = 1, /* once from the socket that comes along */
        RECEIVER_TASK_CLOSE, /* of the descriptor that comes along; of a socket with what was never read from it */
} ReceiverTaskKind;

typedef struct ReceiverTask {
        uint32_t kind;   /* ReceiverTaskKind */
        uint32_t n_data; /* bytes at most */
        uint32_t n_fds;  /* descriptors at most: the kernel drops further ones */
        uint32_t with_sockets; /* 1: unix sockets go on too; the owner gives each back in a CLOSE, since files that nobody read can be in it */
} ReceiverTask;

/* The arrivals, then, when all is closed, the end of the task; a task without anything to close has one report, which is both. */
typedef struct ReceiverReport {
        int32_t outcome; /* of receiving: 0, a SOCKET_E_*, or a negative errno */
        uint32_t came;   /* 1: it reports what came */
        uint32_t done;   /* 1: the task is done */
        uint32_t lost;   /* 1: there were more descriptors than could be taken */
        uint32_t n_data;
        uint8_t data[RECEIVER_DATA_MAX];
} ReceiverReport;

typedef struct Receiver {
        pid_t pid;
        int fd; /* to it, which does not block */
} Receiver;

#define RECEIVER_NULL ((Receiver){ .pid = -1, .fd = -1 })

/* Starts one, which ends with the calling process, and has @calls for a call that it does not need. Returns 0 or a negative errno. */
int receiver_start(CallFilterMode calls, Receiver *ret_receiver);

/* Lets it end, as soon as it can. Its corpse is the caller's, which ignores or reaps its children. */
void receiver_dismiss(Receiver *receiver);

/* Gives it a task with a duplicate of @fd. Returns 0, SOCKET_E_AGAIN where it has too many, SOCKET_E_CLOSED where it ended, or a negative errno. */
int receiver_ask(const Receiver *receiver, const ReceiverTask *task, int fd);

/* Takes its next report. Returns 0, SOCKET_E_AGAIN, SOCKET_E_CLOSED where it ended, or a negative errno. */
int receiver_hear(const Receiver *receiver, ReceiverReport *ret_report, SocketFds *ret_fds);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Receiver: an expendable process that alone takes the descriptors that somebody sent, and alone does the last close of them.
 *
 * close() of a file whose server does not answer (FUSE, where the sender is the server, or NFS) waits for ever, and no signal ends it.
 * A thread that waits so would keep its whole process from ending. And the last close of a file in memory frees its pages: a second for
 * some gigabytes. Therefore descriptors are received here. Those that are proven to be sealed memory files (memfds) of RECEIVER_FILE_MAX
 * bytes at most, whose size is all that they take, go on to the owner; in the place of each of the others the owner gets a stand-in,
 * which fails fd_check_sealed() for the same reason, and the other is closed here, after the report.
 *
 * The owner never does the last close of a file that went on either, since a request has many: it gives each back
 * (receiver_hand_over()). A receiver closes those when the owner has closed its own, which a token tells.
 *
 * A receiver is a fork of its owner without the owner's descriptors and capabilities, and with a filter of system calls that leaves it
 * these tasks alone. It does them in order, and ends with its owner, unless it waits in a close.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ops/call-filter.h"
#include "ops/ops.h"
#include "util/cleanup.h"
#include "util/socket.h"

typedef struct ReceiverCloser ReceiverCloser;
typedef struct sd_event sd_event;

#define RECEIVER_DATA_MAX (20u << 10) /* bytes at a time */

#define RECEIVER_TOKENS_FD 4              /* in a receiver */
#define RECEIVER_FILE_MAX  OPS_MODULE_MAX /* bytes of a file that goes on */

typedef enum ReceiverTaskKind {
        RECEIVER_TASK_RECEIVE = 1, /* once from the socket that comes along */
        RECEIVER_TASK_CLOSE, /* of the descriptors that come along; of a socket with what was never read from it */
        RECEIVER_TASK_DROP,  /* the same without a report */
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
        int fd;        /* to it, which does not block */
        int tokens_fd; /* an eventfd: one for each task of descriptors that the owner has closed */
} Receiver;

#define RECEIVER_NULL ((Receiver){ .pid = -1, .fd = -1, .tokens_fd = -1 })

/*
 * Starts one of this @name, which ends with the calling process, and has @calls for a call that it does not need. Returns 0 or a negative
 * errno.
 */
int receiver_start(const char *name, CallFilterMode calls, Receiver *ret_receiver);

/* Lets it end, as soon as it can. Its corpse is the caller's, which ignores or reaps its children. */
void receiver_dismiss(Receiver *receiver);

/*
 * Has it receive from the socket @fd, which stays the caller's. Returns 0, SOCKET_E_AGAIN where it has too many tasks, SOCKET_E_CLOSED where
 * it ended, or a negative errno.
 */
int receiver_ask(const Receiver *receiver, const ReceiverTask *task, int fd);

/*
 * Has it close @n_fds descriptors, SOCKET_FDS_MAX at most, which are taken on success: CLOSE is reported, DROP is not. Returns as
 * receiver_ask().
 */
int receiver_hand_over(const Receiver *receiver, ReceiverTaskKind kind, const int *fds, size_t n_fds);

/* Takes its next report. Returns 0, SOCKET_E_AGAIN, SOCKET_E_CLOSED where it ended, or a negative errno. */
int receiver_hear(const Receiver *receiver, ReceiverReport *ret_report, SocketFds *ret_fds);

/*
 * Limits this process to the system calls of a receiver, for good: it touches descriptors of strangers, and has nothing to do with them but
 * to pass them on and to close them. It opens nothing, makes nothing, and starts nobody. Returns 0 or a negative errno.
 */
int receiver_calls_limit(CallFilterMode mode);

/*
 * Closer: the expendable process (ops/receiver.h) that does the last close of the files that this one holds and somebody else made large.
 *
 * While there is one, fd_close_received() hands descriptors over to it, and nobody hears when they are closed. Those that find no room wait
 * here, in order. If no process can be had they are closed here: else they would stay open for ever.
 */

/* Starts the process, which has @calls for a system call that it does not need, and takes over fd_close_received(). Returns 0 or a negative errno. */
int receiver_closer_new(sd_event *event, CallFilterMode calls, ReceiverCloser **ret_closer);

/* Closes what waits. The process ends by itself. */
ReceiverCloser *receiver_closer_free(ReceiverCloser *closer);
DEFINE_CLEANUP(ReceiverCloser *, receiver_closer_free)

/* The process, a child; -1: there is none now. */
pid_t receiver_closer_pid(const ReceiverCloser *closer);

/* The number of descriptors that wait here. */
size_t receiver_closer_count_waiting(const ReceiverCloser *closer);

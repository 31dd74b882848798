/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Receiver: an expendable process that receives descriptors from untrusted senders, and does their last close.
 *
 * close() of a file whose server does not answer (FUSE, where the sender is the server, or NFS) waits for ever, and no signal ends it. A
 * thread that waits in it keeps its whole process from ending. And the last close of a file in memory frees its pages: a second for some
 * gigabytes. Therefore descriptors are received here. Proven sealed memory files (memfds) of RECEIVER_FILE_MAX bytes at most, whose size
 * is all the memory that they take, are passed on to the owner. For each other descriptor the owner gets a stand-in, which fails
 * fd_check_sealed() for the same reason; the descriptor itself is closed here, after the report.
 *
 * The owner never does the last close of a passed-on file either, since a request has many: it hands each back (receiver_hand_over()).
 * The receiver closes it after the owner has closed its own descriptor, which a token signals.
 *
 * A receiver is a fork of its owner without the owner's descriptors and capabilities, and with a filter of system calls that allows only
 * these tasks. It does them in order, and ends with its owner, unless it hangs in a close.
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
#define RECEIVER_FILE_MAX  OPS_MODULE_MAX /* bytes of a file that is passed on */

typedef enum ReceiverTaskKind {
        RECEIVER_TASK_RECEIVE = 1, /* one packet from the attached socket */
        RECEIVER_TASK_CLOSE,       /* the attached descriptors; a socket with its unread contents */
        RECEIVER_TASK_DROP,        /* ... without a report */
} ReceiverTaskKind;

typedef struct ReceiverTask {
        uint32_t kind;   /* ReceiverTaskKind */
        uint32_t n_data; /* bytes at most */
        uint32_t n_fds;  /* descriptors at most: the kernel drops the rest */
        uint32_t with_sockets; /* 1: unix sockets are passed on too; the owner hands each back in a CLOSE, since it may hold unread files */
} ReceiverTask;

/*
 * Reports what came, then, when everything is closed, the end of the task; a task with nothing to close has one report
 * for both.
 */
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
        int fd;        /* of the connection to it; does not block */
        int tokens_fd; /* an eventfd: one token per task whose descriptors the owner has closed */
} Receiver;

#define RECEIVER_NULL ((Receiver){ .pid = -1, .fd = -1, .tokens_fd = -1 })

/*
 * Starts a receiver with this process @name, which ends with the calling process; @calls says what happens on other system calls. Returns
 * 0 or a negative errno.
 */
int receiver_start(const char *name, CallFilterMode calls, Receiver *ret_receiver);

/* Makes it end as soon as it can. The caller ignores or reaps its children. */
void receiver_dismiss(Receiver *receiver);

/*
 * Asks it to receive from the socket @fd, which stays the caller's. Returns 0, SOCKET_E_AGAIN if it has too many tasks, SOCKET_E_CLOSED if
 * it ended, or a negative errno.
 */
int receiver_ask(const Receiver *receiver, const ReceiverTask *task, int fd);

/*
 * Asks it to close @n_fds descriptors, SOCKET_FDS_MAX at most, which are taken on success: CLOSE is reported, DROP is not.
 * Returns as receiver_ask().
 */
int receiver_hand_over(const Receiver *receiver, ReceiverTaskKind kind, const int *fds, size_t n_fds);

/* Reads its next report. Returns 0, SOCKET_E_AGAIN, SOCKET_E_CLOSED if it ended, or a negative errno. */
int receiver_hear(const Receiver *receiver, ReceiverReport *ret_report, SocketFds *ret_fds);

/*
 * Limits this process for good to the system calls of a receiver, which only passes on and closes untrusted descriptors: it opens nothing,
 * makes nothing and starts no process. Returns 0 or a negative errno.
 */
int receiver_calls_limit(CallFilterMode mode);

/*
 * Closer: the expendable process (ops/receiver.h) that does the last close of files that this process holds and other programs may have
 * made large.
 *
 * While there is one, fd_close_received() hands descriptors over to it, without a report when they are closed. Descriptors for which it has
 * no room wait in this process, in order. If no closer can be had they are closed here: else they would stay open for ever.
 */

/*
 * Starts the process, where @calls says what happens on other system calls, and takes over fd_close_received(). Returns
 * 0 or a negative errno.
 */
int receiver_closer_new(sd_event *event, CallFilterMode calls, ReceiverCloser **ret_closer);

/* Closes the waiting descriptors. The process ends by itself. */
ReceiverCloser *receiver_closer_free(ReceiverCloser *closer);
DEFINE_CLEANUP(ReceiverCloser *, receiver_closer_free)

/* The pid of the process, a child; -1: there is none now. */
pid_t receiver_closer_pid(const ReceiverCloser *closer);

/* The number of descriptors that wait in this process. */
size_t receiver_closer_count_waiting(const ReceiverCloser *closer);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The connection to benchd: questions come in, records go out. While a record waits for room in the socket no question is read, so only ends
 * of processes can add to the queue. A front-end that still does not read, or breaks the rules, is cut off.
 *
 * Both sides greet before the first question (ops/record-queue.h): a benchd of another build is cut off with a message.
 *
 * Another process receives the questions that carry descriptors. The next of them waits until all descriptors of the last are closed; the
 * order of questions stays.
 */

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "ops/call-filter.h"
#include "ops/ops.h"
#include "ops/receiver.h"
#include "ops/record-queue.h"

typedef struct RootDir RootDir;

/*
 * The launcher's receiver (ops/receiver.h). It takes the records that come with descriptors from the connection to benchd, one at a time, and
 * closes all of them but sealed memory files: a compromised benchd could send a file whose close never ends, and a client may have left one
 * unread in its socket.
 *
 * A receiver that hangs and has reported nothing for a second is named in the log and left behind, and another takes its place. Up to
 * FRONT_RECEIVER_LEFT_MAX are kept until they die; beyond that, questions with descriptors are refused.
 */

#define FRONT_RECEIVER_LEFT_MAX 8u
#define FRONT_RECEIVER_PIDS_MAX FRONT_RECEIVER_LEFT_MAX /* none is started without a place to be left in */

enum {
        _FRONT_RECEIVER_E_SUCCESS,

        FRONT_RECEIVER_E_BUSY, /* something is still being received or closed; a callback reports the end */
        FRONT_RECEIVER_E_FULL, /* FRONT_RECEIVER_LEFT_MAX receivers are left behind */
};

/*
 * Called once for each packet with its outcome: 0, an OPS_E_*, or a negative errno. Descriptors still in the packet are
 * closed afterwards.
 */
typedef void (*FrontReceiverTell)(void *userdata, int r, OpsPacket *packet);

/* Called when the last task is done or given up. */
typedef void (*FrontReceiverRests)(void *userdata);

typedef struct FrontReceiverConfig {
        sd_event *event;
        RootDir *root; /* of the running machine, borrowed */
        FrontReceiverTell tell;
        FrontReceiverRests rests;
        void *userdata;
        CallFilterMode calls; /* the fate of system calls that it does not need */
} FrontReceiverConfig;

/* A receiver that is left behind. */
typedef struct FrontReceiverLeft {
        pid_t pid; /* 0: the place is free */
        int pidfd;
        sd_event_source *source;
} FrontReceiverLeft;

typedef struct FrontReceiver {
        FrontReceiverConfig config;
        Receiver receiver; /* null: there is none */
        sd_event_source *source, *patience_source;
        size_t n_owed;  /* unfinished tasks */
        bool receiving; /* a packet that is to be reported */
        FrontReceiverLeft left[FRONT_RECEIVER_LEFT_MAX];
        ReceiverReport report;
        OpsPacket packet;
} FrontReceiver;

/*
 * Closes @fd, which is taken. Memory files go to the closer (ops/receiver.h), as do all others if no receiver can be
 * had.
 */
void front_receiver_close(FrontReceiver *front, int fd);

/*
 * Writes the pids of all receivers, children of the launcher, into @pids. Returns their number, FRONT_RECEIVER_PIDS_MAX
 * at most.
 */
size_t front_receiver_pids(const FrontReceiver *front, pid_t *pids);

/* Called with each packet; descriptors still in it are closed afterwards. A negative errno ends the loop. */
typedef int (*FrontLinkAsked)(OpsPacket *packet, void *userdata);

/* Called once when the front-end is gone or was cut off; the callback detaches. */
typedef void (*FrontLinkGone)(void *userdata);

#define FRONT_LINK_RECORDS_MAX 256u /* waiting: more than the ends of all possible processes */

typedef struct FrontLinkConfig {
        sd_event *event;
        RootDir *root; /* of the running machine, borrowed */
        FrontLinkAsked asked;
        FrontLinkGone gone;
        void *userdata;
        CallFilterMode calls; /* the fate of system calls that its receiver does not need */
} FrontLinkConfig;

typedef struct FrontLink {
        FrontLinkConfig config;
        int fd; /* -1: there is none */
        sd_event_source *source;
        RecordQueue records; /* that wait for room */
        FrontReceiver receiver;
        bool greeted; /* it is of this build */
} FrontLink;

void front_link_init(FrontLink *link, const FrontLinkConfig *config);

/* Frees what connections needed. The front-end is detached. */
void front_link_clear(FrontLink *link);

/* Takes @fd, a front-end's connection. Returns 0 or a negative errno. */
int front_link_attach(FrontLink *link, int fd);
void front_link_detach(FrontLink *link);
bool front_link_is_attached(const FrontLink *link);

/*
 * Sends @record with @n_fds descriptors, which stay the caller's; does nothing without a front-end. Returns 0, also if the front-end
 * is cut off for not reading, or a negative errno.
 */
int front_link_send(FrontLink *link, const OpsRecord *record, const int *fds, size_t n_fds);

/* Cuts the front-end off; the event loop reports that it is gone. */
void front_link_cut(FrontLink *link);

/* Closes @fd, which came in a packet and was kept. It is taken. */
void front_link_close_received(FrontLink *link, int fd);

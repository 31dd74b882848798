/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The connection to benchd: its questions come in, records go out. A record that finds no room in the socket waits, and meanwhile no question
 * is taken, so only the ends of processes can add to it. One that does not read all the same, or breaks the rules, is cut off.
 *
 * It is greeted, and has to greet before its first question (ops/record-queue.h): one of another build is cut off in words.
 *
 * Questions with descriptors are received by another process. The next one with descriptors waits until all that came with
 * the last is closed; the order of the questions stays.
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
 * closes all of them but sealed memory files: a benchd gone bad could send a file whose close never ends, and a client may have left one
 * unread in its socket.
 *
 * One that waits, and has reported nothing for a second, is named in the log and left behind, and another takes its place. Those that are
 * left are kept until they die, up to a number; beyond it nothing more is received, and the questions that come with descriptors are
 * refused.
 */

#define FRONT_RECEIVER_LEFT_MAX 8u
#define FRONT_RECEIVER_PIDS_MAX FRONT_RECEIVER_LEFT_MAX /* none is started without a place to be left in */

enum {
        _FRONT_RECEIVER_E_SUCCESS,

        FRONT_RECEIVER_E_BUSY, /* something is still being received or closed: its end is told */
        FRONT_RECEIVER_E_FULL, /* as many are left behind as may be */
};

/* Told once of each packet with what came of it: 0, an OPS_E_*, or a negative errno. The descriptors that are left in it are closed afterwards. */
typedef void (*FrontReceiverTell)(void *userdata, int r, OpsPacket *packet);

/* Told when the last task is done, or is given up. */
typedef void (*FrontReceiverRests)(void *userdata);

typedef struct FrontReceiverConfig {
        sd_event *event;
        RootDir *root; /* of the running machine, borrowed */
        FrontReceiverTell tell;
        FrontReceiverRests rests;
        void *userdata;
        CallFilterMode calls; /* the fate of system calls that it does not need */
} FrontReceiverConfig;

/* One that is left behind. */
typedef struct FrontReceiverLeft {
        pid_t pid; /* 0: the place is free */
        int pidfd;
        sd_event_source *source;
} FrontReceiverLeft;

typedef struct FrontReceiver {
        FrontReceiverConfig config;
        Receiver receiver; /* null: there is none */
        sd_event_source *source, *patience_source;
        size_t n_owed;  /* tasks that are not done */
        bool receiving; /* a packet that is to be told */
        FrontReceiverLeft left[FRONT_RECEIVER_LEFT_MAX];
        ReceiverReport report;
        OpsPacket packet;
} FrontReceiver;

/* Closes @fd, which is taken: a memory file, and all others where no receiver can be had, in the closer (ops/receiver.h). */
void front_receiver_close(FrontReceiver *front, int fd);

/* The pids of all, the launcher's children, into @pids. Returns their number, FRONT_RECEIVER_PIDS_MAX at most. */
size_t front_receiver_pids(const FrontReceiver *front, pid_t *pids);

/* Told each packet; the descriptors that are left in it are closed afterwards. A negative errno ends the loop. */
typedef int (*FrontLinkAsked)(OpsPacket *packet, void *userdata);

/* Told once that it is gone, or was cut off; the receiver detaches. */
typedef void (*FrontLinkGone)(void *userdata);

#define FRONT_LINK_RECORDS_MAX 256u /* that wait: the ends of more processes than there can be */

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

/* Ends what the connections needed. There is none any more. */
void front_link_clear(FrontLink *link);

/* Takes @fd, a front-end's connection. Returns 0 or a negative errno. */
int front_link_attach(FrontLink *link, int fd);
void front_link_detach(FrontLink *link);
bool front_link_is_attached(const FrontLink *link);

/*
 * Sends @record with @n_fds descriptors, which stay the caller's; to nobody where there is none. Returns 0, also where it is cut off
 * for not reading, or a negative errno.
 */
int front_link_send(FrontLink *link, const OpsRecord *record, const int *fds, size_t n_fds);

/* Cuts it off: that it is gone is told from the loop. */
void front_link_cut(FrontLink *link);

/* Closes @fd, which a packet brought and was kept. It is taken. */
void front_link_close_received(FrontLink *link, int fd);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The launcher's receiver (ops/receiver.h). It takes the records that come with descriptors from the connection to benchd, one at a time, and
 * closes all of them but sealed memory files: a benchd gone bad could send a file whose close never ends, and a client may have left one
 * unread in its socket.
 *
 * One that waits, and has reported nothing for a second, is named in the log and left behind, and another takes its place. Those that are
 * left are kept until they die, up to a number; beyond it nothing more is received, and the questions that come with descriptors are
 * refused.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "ops/call-filter.h"
#include "ops/ops.h"
#include "ops/receiver.h"

typedef struct RootDir RootDir;

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
typedef struct LeftReceiver {
        pid_t pid; /* 0: the place is free */
        int pidfd;
        sd_event_source *source;
} LeftReceiver;

typedef struct FrontReceiver {
        FrontReceiverConfig config;
        Receiver receiver; /* null: there is none */
        sd_event_source *source, *patience_source;
        size_t n_owed;  /* tasks that are not done */
        bool receiving; /* a packet that is to be told */
        LeftReceiver left[FRONT_RECEIVER_LEFT_MAX];
        ReceiverReport report;
        OpsPacket packet;
} FrontReceiver;

void front_receiver_init(FrontReceiver *front, const FrontReceiverConfig *config);
void front_receiver_clear(FrontReceiver *front);

/* Has the process started that the first packet will need. One that fails is started then. */
void front_receiver_prepare(FrontReceiver *front);

/* Has a packet received from @fd, which nobody else reads meanwhile. Returns 0, E_BUSY, E_FULL, or a negative errno. */
int front_receiver_receive(FrontReceiver *front, int fd);

/* The packet that is being received is not told, but closed. */
void front_receiver_forget(FrontReceiver *front);

/* Closes @fd, which is taken: a memory file, and all others where no receiver can be had, in the closer (ops/closer.h). */
void front_receiver_close(FrontReceiver *front, int fd);

/* The pids of all, the launcher's children, into @pids. Returns their number, FRONT_RECEIVER_PIDS_MAX at most. */
size_t front_receiver_pids(const FrontReceiver *front, pid_t *pids);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The connection to benchd: its questions come in, records go out. A record that finds no room in the socket waits, and meanwhile no question
 * is taken, so only the ends of processes can add to it. One that does not read all the same, or breaks the rules, is cut off.
 *
 * It is greeted, and has to greet before its first question (ops/record-queue.h): one of another build is cut off in words.
 *
 * Questions with descriptors are received by another process (front-receiver.h). The next one with descriptors waits until all that came with
 * the last is closed; the order of the questions stays.
 */

#include <stdbool.h>
#include <stddef.h>
#include <systemd/sd-event.h>

#include "launch/front-receiver.h"
#include "ops/call-filter.h"
#include "ops/ops.h"
#include "ops/record-queue.h"

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

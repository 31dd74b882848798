/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The link to benchd-launch: questions out, answers back to whoever asked, by serial number. Nothing here waits: what
 * the socket does not take is queued, with duplicates of its descriptors, as are questions while eight have no answer yet.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/ops.h"

typedef struct LaunchLink LaunchLink;
typedef struct sd_event sd_event;

/*
 * An answer to a question; the packet's descriptors are closed when it returns. STARTED is followed by ENDED, all
 * others are the last. An ENDED without descriptors is one whose descriptors found no room here.
 */
typedef void (*LaunchAnswer)(void *userdata, OpsPacket *packet);

/* Each half greets the other first (ops/record-queue.h). */
typedef struct LaunchLinkHandlers {
        void (*machine)(void *userdata, const OpsMachine *machine);
        void (*closed)(void *userdata); /* the launcher is gone, or broke the rules: nothing more will come */
        void (*other_build)(void *userdata,
                        const char *words); /* the launcher is of another build: nothing more will come */
        void *userdata;
} LaunchLinkHandlers;

/* Takes the connected socket @fd. Returns 0 or a negative errno. */
int launch_link_new(sd_event *event, int fd, const LaunchLinkHandlers *handlers, LaunchLink **ret_link);
LaunchLink *launch_link_free(LaunchLink *link);

/* True once the launcher has greeted: it is of this build. */
bool launch_link_is_greeted(const LaunchLink *link);

/*
 * Sends @record, whose serial is chosen here, with @n_fds descriptors, which stay the caller's. Each answer is given to
 * @answer with @userdata, which must live until the last one. Returns 0 or a negative errno.
 */
int launch_link_ask(LaunchLink *link, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer,
                void *userdata);

/* Tells that clients are answered from now on. Returns 0 or a negative errno. */
int launch_link_ready(LaunchLink *link);

/* Ends a ticket. Returns 0 or a negative errno. */
int launch_link_close_ticket(LaunchLink *link, uint64_t ticket);

/* Kills a process; its ENDED goes to who spawned it. Returns 0 or a negative errno. */
int launch_link_kill(LaunchLink *link, uint64_t process);

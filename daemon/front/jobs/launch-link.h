/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The link to benchd-launch: questions out, answers back to the asking code by serial number. It never blocks: a record that the socket
 * does not accept is queued with duplicates of its descriptors, and so are questions while eight are unanswered.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/ops.h"

typedef struct LaunchLink LaunchLink;
typedef struct sd_event sd_event;

/*
 * Called with an answer to a question; the packet's descriptors are closed when it returns. STARTED is followed by
 * ENDED; any other answer is the last. If there was no room here for its descriptors, ENDED comes without them.
 */
typedef void (*LaunchAnswer)(void *userdata, OpsPacket *packet);

/* Events of the link. Each side greets the other first (ops/record-queue.h). */
typedef struct LaunchLinkHandlers {
        void (*machine)(void *userdata, const OpsMachine *machine);
        void (*closed)(void *userdata); /* the launcher is gone or broke the rules: no more events */
        void (*other_build)(void *userdata,
                        const char *words); /* the launcher is of another build: no more events will come */
        void *userdata;
} LaunchLinkHandlers;

/* Takes the connected socket @fd. Returns 0 or a negative errno. */
int launch_link_new(sd_event *event, int fd, const LaunchLinkHandlers *handlers, LaunchLink **ret_link);
LaunchLink *launch_link_free(LaunchLink *link);

/* True once the launcher has greeted, and so is of this build. */
bool launch_link_is_greeted(const LaunchLink *link);

/*
 * Sends @record, with a serial chosen here, and @n_fds descriptors, which stay the caller's. Calls @answer with
 * @userdata for each answer; @userdata must live until the last one. Returns 0 or a negative errno.
 */
int launch_link_ask(LaunchLink *link, OpsRecord *record, const int *fds, size_t n_fds, LaunchAnswer answer,
                void *userdata);

/* Tells the launcher that clients are answered from now on. Returns 0 or a negative errno. */
int launch_link_ready(LaunchLink *link);

/* Ends a ticket. Returns 0 or a negative errno. */
int launch_link_close_ticket(LaunchLink *link, uint64_t ticket);

/* Kills a process; its ENDED goes to the callback of its spawn. Returns 0 or a negative errno. */
int launch_link_kill(LaunchLink *link, uint64_t process);

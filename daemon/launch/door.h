/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The door: where the front-end of an installed daemon comes in. systemd listens on the socket; one front-end at a time
 * is let through, and only one that runs as benchd's user. After it is gone the next one may come.
 */

#include <systemd/sd-event.h>

typedef struct Door Door;
typedef struct Identities Identities;
typedef struct Launcher Launcher;

enum {
        _DOOR_E_SUCCESS,

        DOOR_E_NO_SOCKET, /* systemd passed none under the name `launch` */
};

/* Finds the listening socket among what systemd passed. Returns 0, E_NO_SOCKET, or a negative errno. */
int door_find(int *ret_fd);

/* Lets front-ends that connect to @fd through to @launcher; takes @fd. Returns 0 or a negative errno. */
int door_new(sd_event *event, int fd, const Identities *identities, Launcher *launcher, Door **ret_door);
Door *door_free(Door *door);

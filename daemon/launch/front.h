/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The front-end, started by the launcher (`--with-front-end`): benchd gets the listening socket and one to the launcher
 * as systemd would hand them over, under the names "clients" and "launch", and runs as an unprivileged user.
 */

#include <sys/types.h>
#include <systemd/sd-event.h>

typedef struct FrontDoor FrontDoor;
typedef struct Identities Identities;
typedef struct Launcher Launcher;

typedef struct Front {
        pid_t pid;
        int fd; /* of the connection to it (ops/ops.h) */
} Front;

#define FRONT_NULL ((Front){ .pid = -1, .fd = -1 })

/*
 * Starts the benchd behind @program_fd with @argv, which ends with NULL, and @clients_fd; the descriptors stay the caller's. Returns 0 or
 * a negative errno.
 */
int front_start(int program_fd, char *const *argv, const Identities *identities, int clients_fd, Front *ret_front);

/* Ends it, with SIGTERM first, and waits for it. */
void front_stop(Front *front);

/*
 * The door: accepts the front-end of an installed daemon. systemd listens on the socket; one front-end at a time is
 * accepted, and only if it runs as benchd's user. After it is gone the next one may connect.
 */

enum {
        _FRONT_DOOR_E_SUCCESS,

        FRONT_DOOR_E_NO_SOCKET, /* systemd passed none under the name `launch` */
};

/* Finds the listening socket among what systemd passed. Returns 0, E_NO_SOCKET, or a negative errno. */
int front_door_find(int *ret_fd);

/* Lets front-ends that connect to @fd through to @launcher; takes @fd. Returns 0 or a negative errno. */
int front_door_new(sd_event *event, int fd, const Identities *identities, Launcher *launcher, FrontDoor **ret_door);
FrontDoor *front_door_free(FrontDoor *door);

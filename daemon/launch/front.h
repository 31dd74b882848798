/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The front-end, started by the launcher (`--with-front-end`): benchd gets the listening socket and one to the launcher
 * as systemd would hand them over, under the names "clients" and "launch", and runs as a user that may do nothing else.
 */

#include <sys/types.h>

typedef struct Identities Identities;

typedef struct Front {
        pid_t pid;
        int fd; /* to it: ops/ops.h */
} Front;

#define FRONT_NULL ((Front){ .pid = -1, .fd = -1 })

/*
 * Starts the benchd behind @program_fd with @argv, which ends with NULL, and @clients_fd; the descriptors stay the caller's. Returns 0 or
 * a negative errno.
 */
int front_start(int program_fd, char *const *argv, const Identities *identities, int clients_fd, Front *ret_front);

/* Ends it, kindly first, and waits for it. */
void front_stop(Front *front);

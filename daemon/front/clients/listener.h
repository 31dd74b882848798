/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The listening socket: accepts clients, reads who they are, and turns away those beyond the limits with a sentence.
 */

typedef struct Listener Listener;
typedef struct Daemon Daemon;

/* Listens on @fd, which it takes. Returns 0 or a negative errno. */
int listener_new(Daemon *daemon, int fd, Listener **ret_listener);
Listener *listener_free(Listener *listener);

/* A connection ended: accepts again if descriptors had run out. */
void listener_wake(Listener *listener);

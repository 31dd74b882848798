/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The first packet that each half sends the other: its build. */

#include "ops/build.h"

enum {
        _GREETING_E_SUCCESS,

        GREETING_E_OTHER,  /* the peer is of another build */
        GREETING_E_AGAIN,  /* none has come yet */
        GREETING_E_CLOSED, /* the peer is gone */
};

/* Greets the peer of the seqpacket socket @fd, as the first that is sent. Returns 0, E_AGAIN, E_CLOSED, or a negative errno. */
int greeting_send(int fd);

/*
 * Receives the peer's greeting, as the first that comes. Returns 0, E_OTHER with the text of its build, which is empty where it does not
 * greet, E_AGAIN, E_CLOSED, or a negative errno.
 */
int greeting_receive(int fd, char ret_text[static BUILD_TEXT_MAX]);

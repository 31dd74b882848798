/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames: protobuf messages on a byte stream, each after its length as a varint, with file descriptors attached to the first byte of the
 * frame that names them. Both ends use it; PROTOCOL.md is the same in prose.
 *
 * The kernel joins data sent in pieces, and says only that descriptors came with some byte of a read, which ends within the data they were
 * sent with. So a frame with descriptors is sent by a sendmsg() that begins with its first byte and does not go past its last, and the
 * descriptors of a read belong to the last frame that begins in it. A reader that waits for the rest of a frame with descriptors reads no
 * further than its end, so that a connection holds the descriptors of one frame only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/socket.h"

#define FRAME_REQUEST_MAX (64u << 10) /* bytes of a message to the daemon */
#define FRAME_REPLY_MAX   (1u << 20)  /* bytes of a message from the daemon */
#define FRAME_QUEUE_MAX   (4u << 20)  /* bytes queued for a peer that does not read */

#define FRAME_HEADER_MAX 4u /* bytes of a varint up to 2^28 - 1 */

enum {
        _FRAME_E_SUCCESS,

        FRAME_E_AGAIN,     /* nothing more now: wait for the socket */
        FRAME_E_CLOSED,    /* the peer is gone */
        FRAME_E_MALFORMED, /* a length or descriptors that break the rules; the stream cannot be read further */
        FRAME_E_TOO_LARGE, /* a message longer than the peer accepts */
        FRAME_E_FULL,      /* the queue is full: the peer does not read */
};

/* A received message. */
typedef struct Frame {
        const uint8_t *data; /* owned by the reader: valid until the next pop, feed or free */
        size_t n_data;
        int fds[SOCKET_FDS_MAX]; /* owned by the frame: frame_close() closes those not taken (set to -1) */
        size_t n_fds;
        bool lost; /* descriptors came with it, but there was no room for them: n_fds is 0 */
} Frame;

void frame_close(Frame *frame);

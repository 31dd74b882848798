/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The daemon's side of a bridge: frames out of the bytes of a pipe, the files of each in sealed memfds. Each number is checked before
 * anything is allocated for it, and memory is taken only for bytes that came.
 */

#include <stddef.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct BridgeReader BridgeReader;

enum {
        _BRIDGE_E_SUCCESS,

        BRIDGE_E_AGAIN,  /* the frame is not complete */
        BRIDGE_E_NUMBER, /* a number of more than BRIDGE_VARINT_MAX bytes */
        BRIDGE_E_FILES,  /* more than BRIDGE_FILES_MAX files */
        BRIDGE_E_EMPTY,  /* a file of no bytes */
        BRIDGE_E_FILE,   /* a file of more than BRIDGE_FILE_MAX */
        BRIDGE_E_FRAME,  /* a frame longer than FRAME_REQUEST_MAX */
};

/* A frame in the daemon's format: its length first. */
typedef struct BridgeFrame {
        const uint8_t *data; /* owned by the reader, as the descriptors are: valid until the next feed */
        size_t n_data;
        const int *fds;
        size_t n_fds;
} BridgeFrame;

/* Returns 0 or a negative errno. */
int bridge_reader_new(BridgeReader **ret_reader);
BridgeReader *bridge_reader_free(BridgeReader *reader);
DEFINE_CLEANUP(BridgeReader *, bridge_reader_free)

/*
 * Takes the first @ret_n_taken of @n_data bytes, up to the end of a frame, and frees the previous frame. Returns 0, E_AGAIN, or a negative
 * errno; E_NUMBER, E_FILES, E_EMPTY, E_FILE and E_FRAME end the stream.
 */
int bridge_reader_feed(BridgeReader *reader, const uint8_t *data, size_t n_data, size_t *ret_n_taken,
                BridgeFrame *ret_frame);

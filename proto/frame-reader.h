/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reads frames from the bytes of a stream, each with its own descriptors.
 */

#include <stddef.h>

#include "proto/frame.h"
#include "util/cleanup.h"

#define FRAME_RECEIVE_MAX (16u << 10) /* bytes per receive */

typedef struct FrameReader FrameReader;

/* A reader for messages of at most @max bytes. Returns 0 or a negative errno. */
int frame_reader_new(size_t max, FrameReader **ret_reader);
FrameReader *frame_reader_free(FrameReader *reader);
DEFINE_CLEANUP(FrameReader *, frame_reader_free)

/* The most bytes for the next receive, up to FRAME_RECEIVE_MAX, so that it brings the descriptors of one frame only. */
size_t frame_reader_wants(const FrameReader *reader);

/*
 * Appends the data of one receive; the reader takes the descriptors in any case. All complete frames must have been
 * popped before. Returns 0, FRAME_E_MALFORMED, or a negative errno.
 */
int frame_reader_feed(FrameReader *reader, const void *data, size_t n_data, const int *fds, size_t n_fds);

/* The same, for data whose descriptors found no room: the frame has lost them. */
int frame_reader_feed_lost(FrameReader *reader, const void *data, size_t n_data);

/*
 * Receives once from socket @fd, without waiting if it does not block, and feeds. Returns 0, FRAME_E_AGAIN, FRAME_E_CLOSED,
 * FRAME_E_MALFORMED, or a negative errno.
 */
int frame_reader_receive(FrameReader *reader, int fd);

/* Takes the next complete frame. Returns 0, FRAME_E_AGAIN if it is incomplete, or FRAME_E_MALFORMED. */
int frame_reader_pop(FrameReader *reader, Frame *ret_frame);

/* Takes the descriptors of an incomplete frame, which must not be read any more. Returns their number. */
size_t frame_reader_take_fds(FrameReader *reader, int fds[static SOCKET_FDS_MAX]);

/* The fed bytes that belong to no popped frame: if not 0 when no more frames can be popped, a frame is incomplete. */
size_t frame_reader_pending(const FrameReader *reader);

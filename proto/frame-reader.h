/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames out of the bytes of a stream, as they come, each with the descriptors that are its own.
 */

#include <stddef.h>

#include "proto/frame.h"
#include "util/cleanup.h"

#define FRAME_RECEIVE_MAX (16u << 10) /* bytes at a time */

typedef struct FrameReader FrameReader;

/* A reader for messages of at most @max bytes. Returns 0 or a negative errno. */
int frame_reader_new(size_t max, FrameReader **ret_reader);
FrameReader *frame_reader_free(FrameReader *reader);
DEFINE_CLEANUP(FrameReader *, frame_reader_free)

/* The bytes that one receive may bring at most, to FRAME_RECEIVE_MAX, so that it brings the descriptors of one frame only. */
size_t frame_reader_wants(const FrameReader *reader);

/*
 * Appends what one receive brought; the descriptors become the reader's, whatever is returned. All frames that are
 * complete have been popped before. Returns 0, FRAME_E_MALFORMED, or a negative errno.
 */
int frame_reader_feed(FrameReader *reader, const void *data, size_t n_data, const int *fds, size_t n_fds);

/* The same, where the descriptors that came too found no room: the frame has lost them. */
int frame_reader_feed_lost(FrameReader *reader, const void *data, size_t n_data);

/*
 * Receives once from socket @fd, without waiting if it does not block, and feeds. Returns 0, FRAME_E_AGAIN, FRAME_E_CLOSED,
 * FRAME_E_MALFORMED, or a negative errno.
 */
int frame_reader_receive(FrameReader *reader, int fd);

/* Takes the next complete frame. Returns 0, FRAME_E_AGAIN where the next is not complete, or FRAME_E_MALFORMED. */
int frame_reader_pop(FrameReader *reader, Frame *ret_frame);

/* Takes the descriptors of a frame that is not complete, which has lost them: it is not read any more. Returns their number. */
size_t frame_reader_take_fds(FrameReader *reader, int fds[static SOCKET_FDS_MAX]);

/* The bytes that were fed and belong to no frame popped yet: not 0 once no more is popped means an incomplete frame. */
size_t frame_reader_pending(const FrameReader *reader);

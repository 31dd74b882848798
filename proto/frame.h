/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames: protobuf messages on a byte stream, each behind its length as a varint, with file descriptors beside the
 * first byte of the frame that names them. Both ends use it; PROTOCOL.md is the same in prose.
 *
 * The kernel joins what was sent in pieces and says only that descriptors came with some byte of what was read, the
 * last sending among them. So a frame with descriptors is sent by a sendmsg() that begins with its first byte and does
 * not go past its last, and what comes with a read belongs to the last frame that begins in it.
 */

#include <stddef.h>
#include <stdint.h>

#include "util/socket.h"

typedef struct FrameQueue FrameQueue;
typedef struct FrameReader FrameReader;
typedef struct ProtobufCMessage ProtobufCMessage;

#define FRAME_REQUEST_MAX (64u << 10) /* bytes of a message to the daemon */
#define FRAME_REPLY_MAX   (1u << 20)  /* ... and from it */
#define FRAME_QUEUE_MAX   (4u << 20)  /* bytes that wait for a peer that does not read */

enum {
        _FRAME_E_SUCCESS,

        FRAME_E_AGAIN,     /* nothing more now: wait for the socket */
        FRAME_E_CLOSED,    /* the peer is gone */
        FRAME_E_MALFORMED, /* a length or descriptors that break the rules; the stream cannot be read further */
        FRAME_E_TOO_LARGE, /* a message longer than the peer reads */
        FRAME_E_FULL,      /* the peer does not read what waits for it */
};

/* One message as it came. */
typedef struct Frame {
        const uint8_t *data; /* the reader's: until the next pop, feed or free */
        size_t n_data;
        int fds[SOCKET_FDS_MAX]; /* the holder's: frame_close() closes what was not taken (set to -1) */
        size_t n_fds;
} Frame;

void frame_close(Frame *frame);

/* A reader for messages of at most @max bytes. Returns 0 or a negative errno. */
int frame_reader_new(size_t max, FrameReader **ret_reader);
FrameReader *frame_reader_free(FrameReader *reader);

/*
 * Appends what one receive brought; the descriptors become the reader's, whatever is returned. All frames that are
 * complete have been popped before. Returns 0, E_MALFORMED, or a negative errno.
 */
int frame_reader_feed(FrameReader *reader, const void *data, size_t n_data, const int *fds, size_t n_fds);

/*
 * Receives once from socket @fd, without waiting if it does not block, and feeds. Returns 0, E_AGAIN, E_CLOSED,
 * E_MALFORMED, or a negative errno.
 */
int frame_reader_receive(FrameReader *reader, int fd);

/* Takes the next complete frame. Returns 0, E_AGAIN where the next is not complete, or E_MALFORMED. */
int frame_reader_pop(FrameReader *reader, Frame *ret_frame);

/* The bytes that were fed and belong to no frame popped yet: not 0 once no more is popped means an incomplete frame. */
size_t frame_reader_pending(const FrameReader *reader);

/* A queue of at most @max_bytes of frames to send. Returns 0 or a negative errno. */
int frame_queue_new(size_t max_bytes, FrameQueue **ret_queue);
FrameQueue *frame_queue_free(FrameQueue *queue);

/*
 * Appends @message as a frame of at most @max bytes, with duplicates of @n_fds descriptors (at most SOCKET_FDS_MAX).
 * Returns 0, E_TOO_LARGE, E_FULL, or a negative errno.
 */
int frame_queue_push(FrameQueue *queue, const ProtobufCMessage *message, size_t max, const int *fds, size_t n_fds);

/*
 * Sends to socket @fd what it takes without waiting. Returns 0 when nothing is left, E_AGAIN, E_CLOSED, or a negative
 * errno.
 */
int frame_queue_send(FrameQueue *queue, int fd);

/* The bytes that wait. */
size_t frame_queue_pending(const FrameQueue *queue);

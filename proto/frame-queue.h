/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames that wait to be sent, in order, with their descriptors; the number of bytes is limited, since a peer may not
 * read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/frame.h"
#include "util/cleanup.h"

#define FRAME_KINDS_MAX 4u

typedef struct FrameQueue FrameQueue;
typedef struct ProtobufCMessage ProtobufCMessage;

/* A queue of at most @max_bytes of frames to send. Returns 0 or a negative errno. */
int frame_queue_new(size_t max_bytes, FrameQueue **ret_queue);
FrameQueue *frame_queue_free(FrameQueue *queue);
DEFINE_CLEANUP(FrameQueue *, frame_queue_free)

/*
 * Sends the contents of descriptors as bytes, in the format of a bridge (proto/bridge.h). To be called before the first
 * push.
 */
void frame_queue_set_bridged(FrameQueue *queue);

/* Drops all frames. */
void frame_queue_clear(FrameQueue *queue);

/*
 * Appends @message as a frame of at most @max bytes, with duplicates of @n_fds descriptors (at most SOCKET_FDS_MAX).
 * Returns 0, FRAME_E_TOO_LARGE (over a bridge also of a file), FRAME_E_FULL, or a negative errno.
 */
int frame_queue_push(FrameQueue *queue, const ProtobufCMessage *message, size_t max, const int *fds, size_t n_fds);

/*
 * Holds back the last frame, which must have no descriptors, and all later ones until the release of @ticket. @kind: of its message, below
 * FRAME_KINDS_MAX.
 */
void frame_queue_hold(FrameQueue *queue, uint64_t ticket, unsigned kind);

/*
 * Releases frames that wait for tickets up to @until. With @if_lost, also releases all later ones, as lost: merges each with the message
 * for its kind, if there is one. Returns 0 or a negative errno.
 */
int frame_queue_release(FrameQueue *queue, uint64_t until, const ProtobufCMessage *const *if_lost);

/* True if the next frame waits for a release. */
bool frame_queue_is_held(const FrameQueue *queue);

/*
 * Sends to socket @fd as much as it accepts without blocking. Returns 0 when nothing is left or the next frame is held, FRAME_E_AGAIN,
 * FRAME_E_CLOSED, or a negative errno.
 */
int frame_queue_send(FrameQueue *queue, int fd);

/* The bytes still to be sent. */
size_t frame_queue_pending(const FrameQueue *queue);

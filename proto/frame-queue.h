/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames that wait to be sent, in order, with their descriptors: as many bytes as a peer that does not read is worth.
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

/* Has the files behind the descriptors go as bytes, as a bridge takes them (proto/bridge.h). Before the first push. */
void frame_queue_set_bridged(FrameQueue *queue);

/* Drops all frames. */
void frame_queue_clear(FrameQueue *queue);

/*
 * Appends @message as a frame of at most @max bytes, with duplicates of @n_fds descriptors (at most SOCKET_FDS_MAX).
 * Returns 0, FRAME_E_TOO_LARGE (over a bridge also of a file), FRAME_E_FULL, or a negative errno.
 */
int frame_queue_push(FrameQueue *queue, const ProtobufCMessage *message, size_t max, const int *fds, size_t n_fds);

/* Has the last frame, which has no descriptors, wait with all behind it until the release of @ticket. @kind: of its message, below FRAME_KINDS_MAX. */
void frame_queue_hold(FrameQueue *queue, uint64_t ticket, unsigned kind);

/*
 * Frames that wait for tickets up to @until go. With @if_lost those that wait for later ones go too, as of something that was lost: the message
 * of their kind, if there is one, is merged with theirs. Returns 0 or a negative errno.
 */
int frame_queue_release(FrameQueue *queue, uint64_t until, const ProtobufCMessage *const *if_lost);

/* True if the next frame waits for a release. */
bool frame_queue_is_held(const FrameQueue *queue);

/*
 * Sends to socket @fd what it takes without waiting. Returns 0 when nothing is left or the next frame is held, FRAME_E_AGAIN, FRAME_E_CLOSED, or a negative
 * errno.
 */
int frame_queue_send(FrameQueue *queue, int fd);

/* The bytes that wait. */
size_t frame_queue_pending(const FrameQueue *queue);

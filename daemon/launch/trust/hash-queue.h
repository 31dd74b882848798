/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Queue of files to be hashed, one slice per turn of the idle loop: a module of 64 MiB takes a quarter of a second, and no window of
 * a runner may wait for that. Users take turns by the slice, so a user waits for one slice of each other user at most, however much
 * they submit. One user's files are hashed in order.
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct HashQueue HashQueue;
typedef struct HashTask HashTask;
typedef struct sd_event sd_event;

#define HASH_BYTES       32u          /* of a SHA-256 */
#define HASH_SLICE_BYTES (256u << 10) /* a millisecond */

/*
 * Called once, in a later turn of the loop: with 0 and the SHA-256 of the file, or a negative errno. The task is freed
 * by then.
 */
typedef void (*HashDone)(void *userdata, int r, const uint8_t sha256[HASH_BYTES]);

/* Returns 0 or a negative errno. */
int hash_queue_new(sd_event *event, HashQueue **ret_queue);
/* The caller has freed all tasks. */
HashQueue *hash_queue_free(HashQueue *queue);

/* Adds the file @fd, for @uid: it stays the caller's and outlives the task. Returns 0 or a negative errno. */
int hash_queue_add(HashQueue *queue, uid_t uid, int fd, HashDone done, void *userdata, HashTask **ret_task);

/* Cancels a task whose callback has not been called. */
HashTask *hash_task_free(HashTask *task);

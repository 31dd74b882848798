/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Queue of files to be hashed, a slice a turn of the loop, when nothing else is to be done: a module of 64 MiB takes a quarter of a
 * second, for which no window of a runner may wait. Users take turns by the slice, so however much one has hashed, another waits for
 * one slice of each. The files of one user are hashed in their order.
 */

#include <stdint.h>
#include <sys/types.h>

typedef struct HashQueue HashQueue;
typedef struct HashTask HashTask;
typedef struct sd_event sd_event;

#define HASH_BYTES       32u          /* of a SHA-256 */
#define HASH_SLICE_BYTES (256u << 10) /* a millisecond */

/* Told once, in a later turn: 0 with the SHA-256 of the file, or a negative errno. The task is gone by then. */
typedef void (*HashDone)(void *userdata, int r, const uint8_t sha256[HASH_BYTES]);

/* Returns 0 or a negative errno. */
int hash_queue_new(sd_event *event, HashQueue **ret_queue);
/* Its tasks are freed before. */
HashQueue *hash_queue_free(HashQueue *queue);

/* Adds the file @fd, for @uid: it stays the caller's and outlives the task. Returns 0 or a negative errno. */
int hash_queue_add(HashQueue *queue, uid_t uid, int fd, HashDone done, void *userdata, HashTask **ret_task);

/* Takes back a task that has not been told of. */
HashTask *hash_task_free(HashTask *task);

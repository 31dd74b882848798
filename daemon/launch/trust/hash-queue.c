/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "launch/trust/hash-queue.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/error.h"

#define HASH_READ_BYTES (16u << 10)

struct HashTask {
        TAILQ_ENTRY(HashTask) tasks;
        HashQueue *queue;
        uid_t uid;
        int fd;
        off_t offset;
        struct sha256_ctx state;
        HashDone done;
        void *userdata;
};

struct HashQueue {
        sd_event_source *source;               /* on while there is a task */
        TAILQ_HEAD(HashTasks, HashTask) tasks; /* the first has the next turn */
};

/* Returns 0 at the end of the file, 1 before, or a negative errno. */
static int hash_task_step(HashTask *task) {
        uint8_t buffer[HASH_READ_BYTES];

        for (size_t n = 0; n < HASH_SLICE_BYTES;) {
                ssize_t k = pread(task->fd, buffer, sizeof buffer, task->offset);

                if (k < 0 && errno == EINTR)
                        continue;
                if (k <= 0)
                        return k < 0 ? error_origin(-errno) : 0;
                sha256_update(&task->state, k, buffer);
                task->offset += k;
                n += k;
        }
        return 1;
}

/* The tasks of @uid, which has had its turn, go behind all others in their order. */
static void hash_queue_pass_turn(HashQueue *queue, uid_t uid) {
        HashTask *const last = TAILQ_LAST(&queue->tasks, HashTasks);
        HashTask *task, *next;

        for (task = TAILQ_FIRST(&queue->tasks); task; task = task == last ? NULL : next) {
                next = TAILQ_NEXT(task, tasks);
                if (task->uid != uid)
                        continue;
                TAILQ_REMOVE(&queue->tasks, task, tasks);
                TAILQ_INSERT_TAIL(&queue->tasks, task, tasks);
        }
}

static int hash_queue_on_turn(sd_event_source *source, void *userdata) {
        HashQueue *queue = userdata;
        HashTask *task = TAILQ_FIRST(&queue->tasks);
        uint8_t sha256[HASH_BYTES] = {};
        HashDone done;
        void *told;
        int r;

        if (!task)
                return sd_event_source_set_enabled(source, SD_EVENT_OFF);
        r = hash_task_step(task);
        hash_queue_pass_turn(queue, task->uid);
        if (r > 0)
                return 0;
        if (r == 0)
                sha256_digest(&task->state, sizeof sha256, sha256);
        done = task->done;
        told = task->userdata;
        hash_task_free(task);
        done(told, r, sha256);
        return 0;
}

int hash_queue_new(sd_event *event, HashQueue **ret_queue) {
        HashQueue *queue;
        int r;

        queue = calloc(1, sizeof *queue);
        if (!queue)
                return error_origin(-ENOMEM);
        TAILQ_INIT(&queue->tasks);
        r = sd_event_add_defer(event, &queue->source, hash_queue_on_turn, queue);
        if (r >= 0)
                r = sd_event_source_set_enabled(queue->source, SD_EVENT_OFF);
        if (r >= 0)
                r = sd_event_source_set_priority(queue->source, SD_EVENT_PRIORITY_IDLE);
        if (r < 0) {
                hash_queue_free(queue);
                return error_origin(r);
        }
        *ret_queue = queue;
        return 0;
}

HashQueue *hash_queue_free(HashQueue *queue) {
        if (!queue)
                return NULL;
        sd_event_source_disable_unref(queue->source);
        free(queue);
        return NULL;
}

int hash_queue_add(HashQueue *queue, uid_t uid, int fd, HashDone done, void *userdata, HashTask **ret_task) {
        HashTask *task;
        int r;

        r = sd_event_source_set_enabled(queue->source, SD_EVENT_ON);
        if (r < 0)
                return error_origin(r);
        task = malloc(sizeof *task);
        if (!task)
                return error_origin(-ENOMEM);
        *task = (HashTask){ .queue = queue, .uid = uid, .fd = fd, .done = done, .userdata = userdata };
        sha256_init(&task->state);
        TAILQ_INSERT_TAIL(&queue->tasks, task, tasks);
        *ret_task = task;
        return 0;
}

HashTask *hash_task_free(HashTask *task) {
        if (!task)
                return NULL;
        TAILQ_REMOVE(&task->queue->tasks, task, tasks);
        free(task);
        return NULL;
}

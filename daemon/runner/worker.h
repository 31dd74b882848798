/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A worker: one thread of a team other than the process's first, on a CPU of its own.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define WORKER_ANY_CPU (-1)

typedef struct Worker {
        int cpu; /* or WORKER_ANY_CPU */
        void (*function)(void *argument);
        void *argument;
        bool aside; /* its function runs on a stack beside the thread's own, which is for a benchmark */
        pid_t tid;  /* from within */
        pthread_t thread;
} Worker;

/* Starts @worker, whose first fields are set: pins itself, then runs its function. Returns 0 or a negative errno. */
int worker_start(Worker *worker);

/* Waits for its end. */
void worker_join(Worker *worker);

/*
 * From now on @function(@argument) is called when the calling thread ends by pthread_exit(), which nobody else would
 * notice; with NULL no longer. It does not return to the thread. Returns 0 or a negative errno.
 */
int worker_watch_exit(void (*function)(void *argument), void *argument);

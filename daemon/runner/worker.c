/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runner/worker.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "runner/context.h"
#include "runner/crash.h"
#include "util/error.h"

#define WORKER_STACK_BYTES (256u << 10) /* of its logic; the benchmark has the thread's */

/* If it cannot be pinned, the launcher sees that and says so. */
static void worker_pin(int cpu) {
        cpu_set_t set;

        if (cpu < 0)
                return;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        (void)sched_setaffinity(0, sizeof set, &set);
}

static void *worker_main(void *userdata) {
        Worker *worker = userdata;

        worker->tid = gettid();
        worker_pin(worker->cpu);
        crash_watch_thread();
        if (worker->aside)
                (void)context_step_aside(WORKER_STACK_BYTES, worker->function, worker->argument);
        else
                worker->function(worker->argument);
        return NULL;
}

int worker_start(Worker *worker) {
        const int error = pthread_create(&worker->thread, NULL, worker_main, worker);

        return error ? error_origin(-error) : 0;
}

void worker_join(Worker *worker) {
        pthread_join(worker->thread, NULL);
}

/* ---- the end that nobody asked for */

typedef struct ExitWatch {
        void (*function)(void *argument);
        void *argument;
} ExitWatch;

static _Thread_local ExitWatch exit_watch;

static void exit_watch_fire(void *value) {
        const ExitWatch *watch = value;

        watch->function(watch->argument);
}

static pthread_key_t exit_key;
static int exit_key_error;

static void exit_key_make(void) {
        exit_key_error = pthread_key_create(&exit_key, exit_watch_fire);
}

int worker_watch_exit(void (*function)(void *argument), void *argument) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        int error = pthread_once(&once, exit_key_make);

        if (error == 0)
                error = exit_key_error;
        exit_watch = (ExitWatch){ function, argument };
        if (error == 0)
                error = pthread_setspecific(exit_key, function ? &exit_watch : NULL);
        return error ? error_origin(-error) : 0;
}

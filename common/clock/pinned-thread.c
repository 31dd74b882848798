/* SPDX-License-Identifier: MIT */
#include "clock/pinned-thread.h"

#include <errno.h>
#include <sched.h>

int pinned_thread_start(int cpu, void *(*function)(void *argument), void *argument, pthread_t *ret_thread) {
        pthread_attr_t attributes;
        cpu_set_t set;
        int r;

        if (cpu < 0 || cpu >= CPU_SETSIZE)
                return EINVAL;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        r = pthread_attr_init(&attributes);
        if (r)
                return r;
        r = pthread_attr_setaffinity_np(&attributes, sizeof set, &set);
        if (r == 0)
                r = pthread_create(ret_thread, &attributes, function, argument);
        pthread_attr_destroy(&attributes);
        return r;
}

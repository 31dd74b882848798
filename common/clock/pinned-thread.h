/* SPDX-License-Identifier: MIT */
#pragma once

/* A thread that is on its CPU from its first instruction on. */

#include <pthread.h>

/* Starts @function with @argument on @cpu. Returns 0 or a positive errno: there is no such thread to be had, or not there. */
int pinned_thread_start(int cpu, void *(*function)(void *argument), void *argument, pthread_t *ret_thread);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A second stack for a benchmark, and the switch between it and the main one.
 *
 * A batch call in the middle of an author's loop must get back to the runner while the loop's frame stays alive: the
 * benchmark runs as a coroutine on a stack of its own, on the same thread. Several can take turns batch by batch. The
 * switch saves what the x86-64 System V ABI (1.0, section 3.2.3) wants preserved, and makes no system call.
 *
 * Debuggers, valgrind and sanitizers take a switch of stacks for an error or lose their way. For them a context can be a thread, which
 * does the same with two semaphores.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Context Context;

typedef void (*ContextFunction)(void *argument);

/*
 * Makes a stack of @size bytes (whole pages) above a guard page, on which @function(@argument) will run, its top @offset_bytes (a
 * multiple of 16) lower than it could be. Its upper part is there from the beginning, so that a call that goes a little
 * deeper than those before it faults no page. Returns 0 or a negative errno.
 */
int context_new(size_t size, size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context);

/* Makes a thread, with a stack of @size bytes, in which @function(@argument) will run. Returns 0 or a negative errno. */
int context_new_thread(size_t size, ContextFunction function, void *argument, Context **ret_context);

/* A thread whose function has not returned stays where it is until the process ends: its frames are the author's. */
Context *context_free(Context *context);

/* From the main stack: runs @context until it yields or its function returns. */
void context_resume(Context *context);

/* True if @context is a thread that ended itself, by pthread_exit(). */
bool context_is_lost(const Context *context);

/* From within @context: goes back to whoever resumed it. */
void context_yield(Context *context);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two stacks on one thread, and the switch between them.
 *
 * A batch call in the middle of an author's loop must get back to the runner while the loop's frame stays alive: they are coroutines, each
 * with a stack. The benchmark has the thread's own, as in a program: a collector finds its roots there, and `ulimit -s` bounds it. The
 * runner's logic leaves that stack for a small one of its own (context_step_aside()). A body that is alive at the same time as the
 * benchmark's, such as the empty loop, has a further one. The switch saves what the x86-64 System V ABI (1.0, section 3.2.3) wants
 * preserved, and makes no system call.
 *
 * Debuggers, valgrind and sanitizers take a switch of stacks for an error or lose their way. For them a context can be a thread, which
 * does the same with two semaphores.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Context Context;

typedef void (*ContextFunction)(void *argument);

/*
 * Runs @function(@argument) to its end on a stack of @size bytes, which leaves the calling thread's own for contexts of
 * context_new_own(). Returns 0 or a negative errno.
 */
int context_step_aside(size_t size, ContextFunction function, void *argument);

/*
 * Makes a context on the own stack of the thread that resumes it first, which has stepped aside: @function(@argument) will run there, its
 * top @offset_bytes (a multiple of 16) lower than it could be, with the state of floating point that the thread left there. One such context
 * is alive on a thread: the next one takes its place. Returns 0 or a negative errno.
 */
int context_new_own(size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context);

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

/* From another: runs @context until it yields or its function returns. */
void context_resume(Context *context);

/* True if @context is a thread that ended itself, by pthread_exit(). */
bool context_is_lost(const Context *context);

/* From within @context: goes back to whoever resumed it. */
void context_yield(Context *context);

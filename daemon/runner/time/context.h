/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Two stacks on one thread, and the switch between them.
 *
 * The call for a batch in the middle of an author's loop must return to the runner while the loop's frame stays alive: the two are
 * coroutines, each with a stack. The benchmark has the thread's own stack, as in a program: a garbage collector finds its roots there, and
 * `ulimit -s` bounds it. The runner's logic moves to a small stack (context_step_aside()). Another body that is alive at the same time,
 * such as the empty loop, has a further one. The switch saves the registers that the x86-64 System V ABI (1.0, section 3.2.3) preserves,
 * and makes no system call.
 *
 * Debuggers, valgrind and sanitizers report a switch of stacks as an error or lose track. For them a context can be a thread, which does
 * the same with two semaphores.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Context Context;

typedef void (*ContextFunction)(void *argument);

/*
 * Runs @function(@argument) to its end on a stack of @size bytes, which frees the calling thread's own for contexts of
 * context_new_own(). Returns 0 or a negative errno.
 */
int context_step_aside(size_t size, ContextFunction function, void *argument);

/*
 * Makes a context on the own stack of the thread that first resumes it, which must have stepped aside: @function(@argument) will run there,
 * @offset_bytes (a multiple of 16) below the top, with the floating-point state that the thread left. A thread has one such context at a
 * time: the next one replaces it. Returns 0 or a negative errno.
 */
int context_new_own(size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context);

/*
 * Makes a stack of @size bytes (whole pages) above a guard page, on which @function(@argument) will run, @offset_bytes (a
 * multiple of 16) below the top. Its upper part is faulted in from the beginning, so that a call that goes a little deeper than
 * earlier ones causes no page fault. Returns 0 or a negative errno.
 */
int context_new(size_t size, size_t offset_bytes, ContextFunction function, void *argument, Context **ret_context);

/* Makes a thread with a stack of @size bytes, in which @function(@argument) will run. Returns 0 or a negative errno. */
int context_new_thread(size_t size, ContextFunction function, void *argument, Context **ret_context);

/* A thread whose function has not returned stays until the process ends, since its frames belong to the author. */
Context *context_free(Context *context);

/* Call it from another context: runs @context until it yields or its function returns. */
void context_resume(Context *context);

/* True if @context is a thread that ended itself, by pthread_exit(). */
bool context_is_lost(const Context *context);

/* Call it within @context: returns to the context that resumed it. */
void context_yield(Context *context);

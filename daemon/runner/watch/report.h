/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The runner's report on itself in the head of its block: how far it is, and how it ended. The first end counts.
 */

#include <stdbool.h>

#include "ops/block.h"

void report_phase(BlockHead *head, RunnerPhase phase);

/* Ends with @end and the words of @format, cut to fit; nothing if an end stands already. */
void report_end(BlockHead *head, RunnerEnd end, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Ends the process at once, from any thread, once its end is reported: with status 0, or as report_on_leave() wants it. */
void __attribute__((noreturn)) report_leave(const BlockHead *head);

/* Has @leave called first, which may print the end and choose a status by _exit(). */
void report_on_leave(void (*leave)(const BlockHead *head, void *argument), void *argument);

/* True if @name may stand in a report: letters, digits and _ . - +, shorter than RUNNER_NAME_MAX. */
bool report_name_is_valid(const char *name);

/* Watches for exit() from now on: if this process, and no child of it, ends by it before an end stands, the block says so. */
void report_watch_exit(BlockHead *head);

/* Ends the process with @end in the block that is watched; with status 1 where none is. */
void __attribute__((noreturn)) report_abandon(RunnerEnd end);

/*
 * Ends a child of the module's that came back to the runner, whose work it would do a second time, in the same block: its return is the end
 * of the run. Does nothing in the watched process itself.
 */
void report_expel_child(void);

/* Lets children of the module's that still run come back, if they are about to: they may have had no CPU beside SCHED_FIFO. */
void report_await_children(void);

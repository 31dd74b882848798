/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The runner's report on itself in the head of its block: its phase and how it ended. The first end counts. */

#include <stdbool.h>

#include "ops/block.h"

void report_phase(BlockHead *head, RunnerPhase phase);

/* Reports @end with the text of @format, cut to fit; does nothing after a first end. */
void report_end(BlockHead *head, RunnerEnd end, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Ends the process at once, from any thread, after its end is reported: with status 0, or as report_on_leave() says. */
void __attribute__((noreturn)) report_leave(const BlockHead *head);

/* Registers @leave to be called first, which may print the end and choose a status with _exit(). */
void report_on_leave(void (*leave)(const BlockHead *head, void *argument), void *argument);

/* True if @name is valid in a report: letters, digits and _ . - +, shorter than RUNNER_NAME_MAX. */
bool report_name_is_valid(const char *name);

/*
 * Watches for exit() from now on: if this process (not a child of it) calls it before an end is reported, the block
 * says so.
 */
void report_watch_exit(BlockHead *head);

/* Ends the process with @end in the watched block; with status 1 without one. */
void __attribute__((noreturn)) report_abandon(RunnerEnd end);

/*
 * Ends the run if this is a child of the module that returned to the runner, since it would do the runner's work a second time in the same
 * block. Does nothing in the watched process itself.
 */
void report_expel_child(void);

/*
 * Waits a moment for running children of the module that are about to return: beside SCHED_FIFO they may have had no
 * CPU.
 */
void report_await_children(void);

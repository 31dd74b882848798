/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Crashes: handlers of the fatal signals note in the block where the process was, and let it die of the same signal. They are
 * installed before the module is loaded, so its own handlers replace them; they cost nothing until a signal comes.
 *
 * The module shares this memory and can forge such a note: it is no more trusted than the rest of the block.
 */

#include "ops/block.h"
#include "runner/watch/crash-place.h"

/*
 * Watches this process from now on, with a signal stack for this thread, so that an overflow of the stack is caught
 * too. @head is the block's.
 */
void crash_watch(BlockHead *head);

/* Gives another thread a signal stack; does nothing if the process is not watched. */
void crash_watch_thread(void);

/* Adds a file whose code is the submitter's. */
void crash_add_file(const CrashFile *file);

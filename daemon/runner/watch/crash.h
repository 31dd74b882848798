/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Crashes: handlers of the fatal signals note in the block where the process was, and let it die by the same signal. They are
 * installed before the module is loaded, so its own handlers replace them; nothing of them runs unless a signal comes.
 *
 * The module shares this memory and may write such a note itself: it is the submitter's word like the rest of the block.
 */

#include "ops/block.h"
#include "runner/watch/crash-place.h"

/* Watches this process from now on, and this thread with a stack of its own, so that a full stack is seen too. @head is the block's. */
void crash_watch(BlockHead *head);

/* Gives another thread such a stack; nothing where the process is not watched. */
void crash_watch_thread(void);

/* Names a file whose instructions are the submitter's. */
void crash_add_file(const CrashFile *file);

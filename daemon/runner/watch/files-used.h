/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The kinds of files that a body used, which the machine code alone does not show: syncing a file in memory waits for nothing, and writing
 * to a socket is not printing. The kernel notes the time of each change in the file itself, for all writers, so nothing is watched within
 * the loop. It notes only the first of the changes through a shared mapping.
 */

#include <stdint.h>
#include <time.h>

/* Notes the time after set-up: later changes are the loop's. */
void files_used_begin(struct timespec *ret_since);

/*
 * Checks all open descriptors except benchd's, and the directories in memory that a body may write to. Returns
 * FILE_KIND_*.
 */
uint32_t files_used_find(const struct timespec *since);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files that a body used: a sync of a file in memory waits for nothing, and a socket is no printing, which the machine code alone does
 * not tell. The kernel notes the time of each change in the file itself, whoever made it, so that nothing is watched within the loop. A
 * change through a shared mapping is noted for its first one alone.
 */

#include <stdint.h>
#include <time.h>

/* The moment from which a change is the loop's: after the set-up. */
void files_used_begin(struct timespec *ret_since);

/* Looks at the open descriptors but benchd's, and at directories in memory that a body may write to. Returns FILE_KIND_*. */
uint32_t files_used_find(const struct timespec *since);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Processes that a command left behind: whoever outlives it, daemons of their own session too, becomes a child of the calling process,
 * which is a subreaper.
 */

typedef struct ExecLeft {
        unsigned n;
        char name[16]; /* of the first; TASK_COMM_LEN */
} ExecLeft;

/* Kills all children of the calling process and theirs, and names them. */
void exec_left_end(ExecLeft *ret_left);

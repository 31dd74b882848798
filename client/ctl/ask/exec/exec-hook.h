/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Hooks run around the runs of a command, outside of the lease and with all rights of the user: setup, prepare, conclude and cleanup.
 * The processes that a hook starts survive it.
 */

#include <stdbool.h>

#include "ctl/ask/exec/exec-plan.h"
#include "exec/exec-wire.h"

/* The option that gives it: "--prepare". */
const char *exec_hook_name(ExecHook hook);

/*
 * Runs @hook of @command, if it has one, before or after its run @iteration (NULL: neither), and waits for it. Returns false if it failed, and then
 * @ret_failed says which hook, how, and its last lines.
 */
bool exec_hook_run(const ExecCommand *command, ExecHook hook, const char *iteration, bool shows_output,
                char ret_failed[static EXEC_WORDS_BYTES]);

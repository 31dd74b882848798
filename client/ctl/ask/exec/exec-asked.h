/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The options of exec that are numbers and words: read into the plan, or refused.
 */

#include <stdbool.h>

#include "ctl/ask/exec/exec-plan.h"

typedef struct Settings Settings;

/* Reads all but the commands, their shell, hooks, parameters and outputs. Prints what is refused. Returns 0 or an exit code. */
int exec_asked_read(const Settings *settings, ExecPlan *plan);

/* Reads where the output of a command goes, of the @text of --output (NULL: not given) and of --show-output. Returns 0 or an exit code. */
int exec_asked_read_output(const char *text, bool shows, ExecOutput *ret_output, const char **ret_path);

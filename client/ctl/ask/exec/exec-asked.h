/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The options of exec that are numbers and words: read into the plan, or refused.
 */

typedef struct ExecPlan ExecPlan;
typedef struct Settings Settings;

/* Reads all but the commands, their shell, hooks and parameters. Prints what is refused. Returns 0 or an exit code. */
int exec_asked_read(const Settings *settings, ExecPlan *plan);

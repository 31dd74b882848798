/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * run --here: executes the runner in place of benchctl, so that a debugger, a profiler or a preloaded sanitizer that watches benchctl
 * watches the module. The runner is a separate program, linked only with the C library: in benchctl's process, a module would be bound to
 * benchctl's libraries.
 */

typedef struct Settings Settings;
typedef struct Targets Targets;

/* Becomes the runner of the only target; returns an exit code only on failure. */
int here_exec(const Settings *settings, const Targets *targets);

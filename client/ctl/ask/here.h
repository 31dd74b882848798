/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * run --here: the runner in benchctl's place, so that what watches benchctl (a debugger, a profiler, a preloaded sanitizer) watches
 * the module. The runner is a program of its own that links the C library alone: in benchctl's process a module would get
 * benchctl's libraries for its own.
 */

typedef struct Settings Settings;
typedef struct Targets Targets;

/* Becomes the runner of the one target; returns an exit code where that does not work. */
int here_exec(const Settings *settings, const Targets *targets);

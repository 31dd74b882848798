/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A runner without a launcher, for debuggers, profilers and sanitizers: one process, which loads a module by its path, as its
 * user and where it stands, and runs its benchmarks one after the other. It starts twice, as any runner (runner/load/start.h). No plan, no windows, no confinement, no time-out; a
 * crash is the process's own. Its times are for orientation: nothing is pinned, calibrated or repeated in other processes.
 */

/*
 * @arguments, @n of them: --preload=LIB.so, --with=LIB.so, by absolute paths, --input=FILE, --samples=N, --iterations=N, --min-time=MS, --warmup=MS and --under-valgrind, as
 * benchctl checked them; the module; filters. Returns the exit status: 0, HERE_USAGE or HERE_FAILED.
 */
int here_run(int n, char **arguments);

/* At the second start, before the first constructor: an exit() from there on is told. */
void here_prepare(void);

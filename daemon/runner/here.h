/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A runner without a launcher, for debuggers, profilers and sanitizers: one process, which loads a module by its path, as the present user in the
 * present directory, and runs its benchmarks one after the other. It starts twice, as any runner (runner/load/start.h). It has no plan, no windows,
 * no confinement and no time-out; a crash is not caught. Its times are only a guide: nothing is pinned, calibrated or repeated in other processes.
 */

/*
 * @arguments, @n of them: --preload=LIB.so, --with=LIB.so, by absolute paths, --input=FILE, --samples=N, --iterations=N, --min-time=MS, --warmup=MS and --under-valgrind, as
 * benchctl checked them; the module; filters. Returns the exit status: 0, HERE_USAGE or HERE_FAILED.
 */
int here_run(int n, char **arguments);

/* Call it at the second start, before the first constructor: an exit() after that is reported. */
void here_prepare(void);

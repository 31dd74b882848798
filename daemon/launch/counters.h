/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The core's counters of a runner to be, opened while it is still root: perf_event_paranoid may refuse them to whom it
 * becomes. On the process itself, so that they outlive its exec, which drops them only where the program may not be
 * read (perf_event_open(2), begin_new_exec() of the kernel); giving up rights later does not close them. User code
 * only, so that they tell nothing of the kernel.
 */

#include "ops/runner-plan.h"

/*
 * Opens one group of all counters that the CPU has; @ret_fds in the order of COUNTER_*, -1 for those that it has not. They are
 * the caller's to close.
 */
void counters_open(int ret_fds[static RUNNER_COUNTERS_MAX]);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Ctrl-C, and whoever else wants benchctl to end: the first time it asks, the second time it leaves at once.
 */

#include <stdbool.h>

/* Catches SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE. Returns 0 or a negative errno. */
int interrupt_install(void);

/* A descriptor that is readable from the first time on. */
int interrupt_fd(void);

bool interrupt_came(void);

/* Sets what is done before leaving at once: async-signal-safe calls only. NULL for nothing. */
void interrupt_on_leave(void (*leave)(void));

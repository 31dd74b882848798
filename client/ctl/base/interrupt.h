/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Ctrl-C and other signals that ask benchctl to end. The first signal asks. A Ctrl-C after it quits at once; SIGTERM and SIGHUP do not,
 * since a job manager may send several of them.
 */

#include <stdbool.h>

/* Catches SIGINT, SIGTERM and, unless it is ignored, SIGHUP, and ignores SIGPIPE. Returns 0 or a negative errno. */
int interrupt_install(void);

/* A descriptor that is readable from the first signal on. */
int interrupt_fd(void);

bool interrupt_came(void);

/* Sets the function that runs before benchctl quits at once: async-signal-safe calls only. NULL for none. Returns the one before. */
typedef void (*InterruptLeave)(void);
InterruptLeave interrupt_on_leave(InterruptLeave leave);

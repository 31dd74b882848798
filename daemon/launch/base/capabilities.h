/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The few capabilities that the launcher keeps for itself and for the processes that it starts. The table gives the
 * reason for each; all others are dropped before the first child is forked.
 */

#include <stdbool.h>

#include "ops/call-filter.h"

/*
 * Drops all capabilities that are not in the table, from every set; one of the table stays only if this process @bears runners. Only
 * sets no_new_privs in a process that is not root. Returns 0 or a negative errno.
 */
int capabilities_limit(bool bears);

/*
 * Keeps across exec the capabilities that a runner needs to become its user, after which it drops them. In a user namespace without
 * a root exec would drop them. Returns 0 or a negative errno.
 */
int capabilities_hand_on(void);

/*
 * Limits this process for good to the system calls that the launcher needs once it serves: no exec, no change of identity, no mount, no
 * network but the kernel's events of CPUs. It is still root, and could do harm through files of the kernel: the unit's directives bound
 * that. The zygote and the front-end are forked before. Returns 0 or a negative errno.
 */
int capabilities_limit_calls(CallFilterMode mode);

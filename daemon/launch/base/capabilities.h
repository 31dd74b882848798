/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The handful of root's rights that the launcher keeps, for itself and all that it starts. Each has its reason in the
 * table; everything else is gone before the first child is born.
 */

#include <stdbool.h>

#include "ops/call-filter.h"

/*
 * Gives up all capabilities but those of the table, in every set; one of them only who @bears runners keeps. Nothing for a process that
 * has none. Returns 0 or a negative errno.
 */
int capabilities_limit(bool bears);

/*
 * Keeps across exec what a runner needs to become its user and then gives up. In a user namespace without a root nobody has that by
 * being root. Returns 0 or a negative errno.
 */
int capabilities_hand_on(void);

/*
 * Limits this process, for good, to the system calls of the launcher, once it serves: no other program, no other identity, no mount, no
 * network but the kernel's news of CPUs. It is root, so that a file of the kernel is still a weapon: the unit's directives bound those. The
 * zygote and the front-end are forked before. Returns 0 or a negative errno.
 */
int capabilities_limit_calls(CallFilterMode mode);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The system calls of the launcher, once it serves: no other program, no other identity, no mount, no network but the kernel's news of
 * CPUs. It is root, so that a file of the kernel is still a weapon: the unit's directives bound those.
 */

#include "ops/call-filter.h"

/* Limits this process to them, for good. The zygote and the front-end are forked before. Returns 0 or a negative errno. */
int launch_calls_limit(CallFilterMode mode);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The system calls of benchd, once it serves. As a service it has the unit's filter too; this one holds for a daemon that nobody
 * installed as well.
 */

#include "ops/call-filter.h"

/* Limits this process to them, for good. Returns 0 or a negative errno. */
int front_calls_limit(CallFilterMode mode);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The system-call filter of benchd while it serves clients. An installed service also has the unit's filter; this one protects a daemon
 * that runs without installation, too.
 */

#include "ops/call-filter.h"

/* Limits this process to these system calls, irrevocably. Returns 0 or a negative errno. */
int front_calls_limit(CallFilterMode mode);

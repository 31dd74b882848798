/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The system calls of a receiver, once it takes tasks: it touches descriptors of strangers, and has nothing to do with them but to pass
 * them on and to close them. It opens nothing, makes nothing, and starts nobody.
 */

#include "ops/call-filter.h"

/* Limits this process to them, for good. Returns 0 or a negative errno. */
int receiver_calls_limit(CallFilterMode mode);

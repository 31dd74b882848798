/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What the daemon says of itself and its machine, at any time.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct Daemon Daemon;

/* Builds the status in @arena. Returns 0 or a negative errno. */
int status_build(Arena *arena, const Daemon *daemon, Benchd__Status **ret_status);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Use against limits, for the status: what a user holds of each thing that users share, of the history and of the module store.
 * Users are told of themselves, root of everybody and of the sums.
 */

#include <sys/types.h>

#include "proto/benchd.pb-c.h"

typedef struct Arena Arena;
typedef struct JobServices JobServices;

/* Fills in the uses in @status, with parts from @arena, as @uid may see them. Returns 0 or a negative errno. */
int share_report_fill(Arena *arena, const JobServices *services, uid_t uid, Benchd__Status *status);

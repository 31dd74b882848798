/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The commit that a submitter tells of a module: an untrusted text that the daemon keeps and passes on.
 */

#include <stdbool.h>

#include "proto/benchd.pb-c.h"

typedef struct Arena Arena;

#define COMMIT_ID_MAX      64u  /* bytes: the digits of a SHA-256 */
#define COMMIT_SUBJECT_MAX 255u /* bytes */

/* True if @commit has an id of printable ASCII without spaces, and lengths within their limits. */
bool commit_is_valid(const Benchd__Commit *commit);

/* A copy in @arena, its texts cleaned; NULL for NULL, and if memory ran out (arena_check()). */
Benchd__Commit *commit_copy(Arena *arena, const Benchd__Commit *commit);

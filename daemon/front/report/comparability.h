/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Comparability of two results: a key of everything that must be equal for their times to be comparable, and the
 * differences between two keys. Pure.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

/*
 * Makes the key: the facts of the machine's class, clock, scheduler, controls, method, instruments that were timed along, and benchd's
 * version. The environment of @result must be set.
 */
char *comparability_key(Arena *arena, const Benchd__RunResult *result);

/* Adds a sentence for each field in which the key of @result differs from the key of @earlier, another job's result. */
void comparability_warn(Arena *arena, const Benchd__RunResult *earlier, const Benchd__RunResult *result,
                ArenaList *warnings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Comparability of two results: a key of all that has to be equal for their times to be compared, and the differences
 * between two keys. Pure.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

/*
 * Makes the key of all that must be equal for times to be comparable: the facts of the machine's class, clock, scheduler,
 * controls, method, instruments that were timed along, and benchd's version. @result has its environment.
 */
char *comparability_key(Arena *arena, const Benchd__RunResult *result);

/*
 * Adds a sentence for each field by which the key of @result differs from that of @earlier, the result of another
 * job.
 */
void comparability_warn(Arena *arena, const Benchd__RunResult *earlier, const Benchd__RunResult *result,
                ArenaList *warnings);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Class of a machine: a hash of the environment's facts that are equal on machines of one kind with one kernel, so that
 * the same program takes the same time on them. Settings are excluded, since benchd changes and restores them. Pure.
 */

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"
#include "words/condition.h"

/*
 * The fact @kind of the machine's class, in words, borrowed from the environment or in the arena; NULL: absent, as any may be in a stored
 * result.
 */
const char *machine_class_fact(ConditionKind kind, Arena *arena, const Benchd__Environment *environment);

/* Makes the class, in @arena. */
char *machine_class(Arena *arena, const Benchd__Environment *environment);

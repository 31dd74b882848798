/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Class of a machine: a hash of the facts of an environment that are equal on machines of one kind under one kernel, so
 * that the same program takes the same time on them. Settings are not among them, since benchd makes and undoes them.
 * Pure.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef struct MachineFact {
        const char *name;  /* in a hash */
        const char *words; /* in a sentence: "the kernel was ..." */
        /* In words, borrowed from the environment or in the arena; NULL: absent, as any may be in a stored result. */
        const char *(*read)(Arena *arena, const Benchd__Environment *environment);
} MachineFact;

/* The facts in a fixed order; NULL past the last. */
const MachineFact *machine_class_fact_at(size_t index);

/* Makes the class, in @arena. */
char *machine_class(Arena *arena, const Benchd__Environment *environment);

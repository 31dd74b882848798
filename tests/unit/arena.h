/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* An arena for each test of a file. */

#include "front/base/arena.h"
#include "test.h"

static Arena *arena;

static inline int arena_set_up(void **state) {
        return arena_new(&arena);
}

static inline int arena_tear_down(void **state) {
        arena = arena_free(arena);
        return 0;
}

TEST_EACH(arena_set_up, arena_tear_down)

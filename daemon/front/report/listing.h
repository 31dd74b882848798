/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Listing of a module: its benchmarks, as the reply to a list request. Pure.
 */

#include "front/base/arena.h"
#include "ops/block.h"
#include "proto/benchd.pb-c.h"

typedef struct Chosen Chosen;

/*
 * Builds in @arena the listing of the benchmarks of @block (checked) that are in @chosen with any argument; hidden ones are listed and
 * marked. Returns 0 or a negative errno.
 */
int listing_build(Arena *arena, const ListingBlock *block, const Chosen *chosen, Benchd__Listing **ret_listing);

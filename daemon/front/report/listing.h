/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * What a module holds, as the reply to a list request. Pure.
 */

#include "front/base/arena.h"
#include "front/plan/filter.h"
#include "ops/sample-block.h"
#include "proto/benchd.pb-c.h"

/*
 * Builds the listing of what @filters mean of @block (checked) in @arena; what is hidden is listed like all else, and
 * marked. Returns 0 or a negative errno.
 */
int listing_build(Arena *arena, const ListingBlock *block, const FilterList *filters, Benchd__Listing **ret_listing);

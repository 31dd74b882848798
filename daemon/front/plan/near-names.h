/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Near names: the benchmarks that filters without a match probably meant. Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "ops/filter.h"

#define NEAR_NAMES_MAX          5u
#define NEAR_NAMES_TEXT_MAX     200u
#define NEAR_NAMES_COMPARED_MAX (1u << 22) /* pairs of characters: this many block the daemon for some milliseconds */

/*
 * Writes the names nearest to @words, as "area/benchmark" with @prefix, separated by commas. Hidden benchmarks are included, since a full
 * name chooses them. With many long filters, part of a long listing is not compared. Returns their number; 0 leaves an empty text.
 */
size_t near_names_write(const ListingBlock *listing, const FilterList *words, const char *prefix,
                char ret_text[static NEAR_NAMES_TEXT_MAX]);

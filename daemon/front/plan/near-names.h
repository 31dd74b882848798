/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Near names: the benchmarks of a module that were probably meant by filters that choose none. Pure.
 */

#include <stddef.h>

#include "ops/block.h"
#include "ops/filter.h"

#define NEAR_NAMES_MAX          5u
#define NEAR_NAMES_TEXT_MAX     200u
#define NEAR_NAMES_COMPARED_MAX (1u << 22) /* pairs of characters: the daemon is busy for some milliseconds meanwhile */

/*
 * Writes the names nearest to those of @words, "area/benchmark" each with @prefix before it and commas between. Hidden ones are among
 * them, since a name that is written out chooses them. With many long filters some of a long listing are left out. Returns how many; 0
 * leaves an empty text.
 */
size_t near_names_write(const ListingBlock *listing, const FilterList *words, const char *prefix,
                char ret_text[static NEAR_NAMES_TEXT_MAX]);

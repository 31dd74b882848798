/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The benchmarks of a module, copied out of its memory into the listing block.
 */

#include "ops/block.h"

typedef struct Module Module;

void listing_run(const Module *module, ListingBlock *block);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * An inspection: from the file of a module to the block that tells of it. The reply's order: the build, then each benchmark with its
 * loop, then, of one that is named, its code and source.
 */

#include "ops/inspection-block.h"

/*
 * Inspects the module in @fd and fills in @block, which is zero, with how it ended. An empty @benchmark is all of them; an empty @area
 * is any that has it.
 */
void inspect_module(int fd, const char *area, const char *benchmark, InspectionBlock *block);

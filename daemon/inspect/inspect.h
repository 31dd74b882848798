/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * An inspection: from a module's file to the block that describes it. In the order of the reply: the build, then each benchmark with
 * its loop, then, for a named one, its code and source.
 */

#include "ops/inspection-block.h"

/*
 * Inspects the module @fd and fills in @block, which is zero, including how it ended. An empty @benchmark means all; an empty @area
 * means any area that has it.
 */
void inspect_module(int fd, const char *area, const char *benchmark, InspectionBlock *block);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Messages about a module's file, from a checked block of benchd-inspect. Pure.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "front/base/reply-error.h"
#include "proto/benchd.pb-c.h"

typedef struct InspectionBlock InspectionBlock;
typedef struct ProcessEnd ProcessEnd;

/* Builds the answer to @request about the module @name with digest @sha256, in @arena. Returns 0 or a negative errno. */
int inspection_build(Arena *arena, const InspectionBlock *block, const Benchd__InspectRequest *request,
                const char *name, const char *sha256, Benchd__Inspection **ret_inspection);

/* Adds to @module, in @arena, what its file says about its build. */
void inspection_fill_module(Arena *arena, const InspectionBlock *block, Benchd__Module *module);

/* Explains why the module @name was not inspected, from what the process left in @block (or NULL) and how it ended. */
void inspection_explain_end(const char *name, const InspectionBlock *block, const ProcessEnd *end, ReplyError *ret_why);

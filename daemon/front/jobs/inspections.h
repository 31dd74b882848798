/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The inspections of the modules that were run last. A file that comes again has the same one, which saves its run the birth of a
 * process.
 *
 * An inspection is the word of a process that its file may have overpowered. It is kept for the user who sent that file, and told to
 * nobody else.
 */

#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "ops/inspection-block.h"

#define INSPECTIONS_BYTES_MAX (1u << 20) /* of all: those that nobody used for longest give way */

typedef struct KeptInspection KeptInspection;

typedef struct Inspections {
        TAILQ_HEAD(InspectionList, KeptInspection) kept; /* the last used first */
        size_t n_bytes;
} Inspections;

void inspections_init(Inspections *inspections);
void inspections_clear(Inspections *inspections);

/* Drops from @block all that a run does not report, and gives back its memory. Returns it where it is then; NULL stays NULL. */
InspectionBlock *inspections_trim(InspectionBlock *block);

/* A copy of the inspection of @uid's file @sha256 (hexadecimal), which the caller frees; NULL where none is kept, or without memory. */
InspectionBlock *inspections_find(Inspections *inspections, uid_t uid, const char *sha256);

/*
 * Keeps a copy of @block, whose entries are the last that is there of it, for @uid's file @sha256, unless one is kept. One that would fill a
 * large part of the room is not kept, nor is any without memory.
 */
void inspections_keep(Inspections *inspections, uid_t uid, const char *sha256, const InspectionBlock *block);

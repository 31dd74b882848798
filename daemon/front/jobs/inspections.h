/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Cache of module inspections, most recently used first. A file that is run again has the same inspection, which saves its run one process.
 *
 * An inspection comes from a process that the file may have taken over. So it is kept for the user who sent the file, and shown to no other
 * user.
 */

#include <stddef.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "ops/inspection-block.h"

#define INSPECTIONS_BYTES_MAX (1u << 20) /* of all; the least recently used are dropped first */

typedef struct KeptInspection KeptInspection;

typedef struct Inspections {
        TAILQ_HEAD(InspectionList, KeptInspection) kept; /* most recently used first */
        size_t n_bytes;
} Inspections;

void inspections_init(Inspections *inspections);
void inspections_clear(Inspections *inspections);

/* Drops from @block all that a run does not report, and shrinks it. Returns its new address; NULL stays NULL. */
InspectionBlock *inspections_trim(InspectionBlock *block);

/* Copies the inspection of @uid's file @sha256 (hexadecimal) for the caller to free; NULL if there is none, or memory ran out. */
InspectionBlock *inspections_find(Inspections *inspections, uid_t uid, const char *sha256);

/*
 * Keeps a copy of @block, which ends with its entries, for @uid's file @sha256, unless one is kept. Skips a block that would take a large
 * part of the room, and any block if memory ran out.
 */
void inspections_keep(Inspections *inspections, uid_t uid, const char *sha256, const InspectionBlock *block);

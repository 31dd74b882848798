/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/jobs/inspections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base/digest.h"

#define INSPECTION_BYTES_MAX (INSPECTIONS_BYTES_MAX / 8)

struct KeptInspection {
        TAILQ_ENTRY(KeptInspection) kept;
        uid_t uid;
        char sha256[DIGEST_HEX_BYTES];
        size_t n_bytes;
        InspectionBlock *block;
};

static InspectionBlock *block_copy(const InspectionBlock *block, size_t n_bytes) {
        InspectionBlock *copy = malloc(n_bytes);

        return copy ? memcpy(copy, block, n_bytes) : NULL;
}

static void inspections_forget(Inspections *inspections, KeptInspection *kept) {
        TAILQ_REMOVE(&inspections->kept, kept, kept);
        inspections->n_bytes -= kept->n_bytes;
        free(kept->block);
        free(kept);
}

void inspections_init(Inspections *inspections) {
        *inspections = (Inspections){};
        TAILQ_INIT(&inspections->kept);
}

void inspections_clear(Inspections *inspections) {
        while (!TAILQ_EMPTY(&inspections->kept))
                inspections_forget(inspections, TAILQ_FIRST(&inspections->kept));
}

static KeptInspection *inspections_seek(const Inspections *inspections, uid_t uid, const char *sha256) {
        KeptInspection *kept;

        TAILQ_FOREACH(kept, &inspections->kept, kept) {
                if (kept->uid == uid && strcmp(kept->sha256, sha256) == 0)
                        return kept;
        }
        return NULL;
}

InspectionBlock *inspections_trim(InspectionBlock *block) {
        InspectionBlock *kept;

        if (!block)
                return NULL;
        block->n_functions = block->n_instructions = block->n_sources = block->first_line = 0;
        kept = realloc(block, offsetof(InspectionBlock, entries) + block->n_entries * sizeof *block->entries);
        return kept ? kept : block;
}

InspectionBlock *inspections_find(Inspections *inspections, uid_t uid, const char *sha256) {
        KeptInspection *found = inspections_seek(inspections, uid, sha256);

        if (!found)
                return NULL;
        TAILQ_REMOVE(&inspections->kept, found, kept);
        TAILQ_INSERT_HEAD(&inspections->kept, found, kept);
        return block_copy(found->block, found->n_bytes);
}

void inspections_keep(Inspections *inspections, uid_t uid, const char *sha256, const InspectionBlock *block) {
        const size_t n_bytes = offsetof(InspectionBlock, entries) + block->n_entries * sizeof *block->entries;
        KeptInspection *kept;

        if (n_bytes > INSPECTION_BYTES_MAX || inspections_seek(inspections, uid, sha256))
                return;
        kept = calloc(1, sizeof *kept);
        if (!kept)
                return;
        kept->block = block_copy(block, n_bytes);
        if (!kept->block) {
                free(kept);
                return;
        }
        kept->uid = uid;
        snprintf(kept->sha256, sizeof kept->sha256, "%s", sha256);
        kept->n_bytes = n_bytes;
        TAILQ_INSERT_HEAD(&inspections->kept, kept, kept);
        inspections->n_bytes += n_bytes;
        while (inspections->n_bytes > INSPECTIONS_BYTES_MAX)
                inspections_forget(inspections, TAILQ_LAST(&inspections->kept, InspectionList));
}

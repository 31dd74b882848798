/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ops/inspection-block.h"

#include <stdbool.h>
#include <string.h>

#define text_ended(text) (memchr((text), 0, sizeof(text)) != NULL)

static bool loop_valid(const InspectionLoop *loop) {
        return text_ended(loop->function) && loop->start <= loop->end && loop->empty < _INSPECTION_FACT_N &&
               loop->counting <= 1;
}

static bool entry_valid(const InspectionEntry *entry) {
        for (unsigned i = 0; i < _INSPECTION_CALL_N; i++)
                if (!text_ended(entry->calls[i].function) || !text_ended(entry->calls[i].through))
                        return false;
        return text_ended(entry->area) && text_ended(entry->name) && text_ended(entry->file) &&
               text_ended(entry->title) && text_ended(entry->about) && loop_valid(&entry->loop);
}

static bool instruction_valid(const InspectionBlock *block, const InspectionInstruction *instruction) {
        return instruction->function < block->n_functions && (instruction->flags & ~_INSPECTION_FLAGS) == 0 &&
               (!(instruction->flags & INSPECTION_HAS_SOURCE) || instruction->source < block->n_sources) &&
               instruction->n_bytes <= INSPECTION_CODE_MAX && text_ended(instruction->words) &&
               text_ended(instruction->target);
}

static bool code_valid(const InspectionBlock *block) {
        if (block->n_functions > INSPECTION_FUNCTIONS_MAX || block->n_instructions > INSPECTION_INSTRUCTIONS_MAX ||
                        block->n_sources > INSPECTION_SOURCES_MAX || !text_ended(block->text))
                return false;
        for (uint32_t i = 0; i < block->n_functions; i++)
                if (!text_ended(block->functions[i].name))
                        return false;
        for (uint32_t i = 0; i < block->n_sources; i++)
                if (!text_ended(block->sources[i].name) || !text_ended(block->sources[i].path))
                        return false;
        for (uint32_t i = 0; i < block->n_instructions; i++)
                if (!instruction_valid(block, &block->instructions[i]))
                        return false;
        return true;
}

int inspection_block_check(const InspectionBlock *block) {
        if (!block_head_is_valid(&block->head) || !text_ended(block->build_id) || !text_ended(block->compiler) ||
                        !text_ended(block->flags))
                return INSPECTION_BLOCK_E_INVALID;
        if (block->optimized >= _INSPECTION_FACT_N || block->stripped >= _INSPECTION_FACT_N ||
                        block->debug_info >= _INSPECTION_FACT_N || block->no_path >= _INSPECTION_NO_PATH_N ||
                        block->n_entries > INSPECTION_ENTRIES_MAX)
                return INSPECTION_BLOCK_E_INVALID;
        for (uint32_t i = 0; i < block->n_entries; i++)
                if (!entry_valid(&block->entries[i]))
                        return INSPECTION_BLOCK_E_INVALID;
        return code_valid(block) ? 0 : INSPECTION_BLOCK_E_INVALID;
}

const InspectionEntry *inspection_block_find(const InspectionBlock *block, const char *area, const char *name) {
        for (uint32_t i = 0; i < block->n_entries; i++)
                if (strcmp(block->entries[i].area, area) == 0 && strcmp(block->entries[i].name, name) == 0)
                        return &block->entries[i];
        return NULL;
}

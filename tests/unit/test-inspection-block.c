/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A block of benchd-inspect is taken only if nothing in it leads beyond it. */

#include "ops/inspection-block.h"

#include "test.h"

static InspectionBlock *block;

static void make_valid(void) {
        memset(block, 0, sizeof *block);
        block->head = (BlockHead){ .magic = SAMPLE_BLOCK_MAGIC, .end = RUNNER_END_COMPLETE };
        block->n_entries = INSPECTION_ENTRIES_MAX;
        block->n_functions = 1;
        block->n_instructions = INSPECTION_INSTRUCTIONS_MAX;
        block->n_sources = 1;
        assert_int_equal(inspection_block_check(block), 0);
}

static void assert_refused(void) {
        assert_int_equal(inspection_block_check(block), INSPECTION_BLOCK_E_INVALID);
        make_valid();
}

/* Spoils a valid block, one way each. */
#define REFUSED(...)                                                                                                   \
 do {                                                                                                                  \
  __VA_ARGS__;                                                                                                         \
  assert_refused();                                                                                                    \
 } while (0)
#define assert_text_must_end(text) REFUSED(memset((text), 'x', sizeof(text)))

TEST(texts_must_end) {
        InspectionEntry *entry = &block->entries[INSPECTION_ENTRIES_MAX - 1];
        InspectionInstruction *instruction = &block->instructions[INSPECTION_INSTRUCTIONS_MAX - 1];

        make_valid();
        assert_text_must_end(block->build_id);
        assert_text_must_end(block->compiler);
        assert_text_must_end(block->flags);
        assert_text_must_end(block->text);
        assert_text_must_end(entry->area);
        assert_text_must_end(entry->name);
        assert_text_must_end(entry->title);
        assert_text_must_end(entry->about);
        assert_text_must_end(entry->file);
        assert_text_must_end(entry->loop.function);
        assert_text_must_end(entry->calls[INSPECTION_CALL_SLEEP].function);
        assert_text_must_end(entry->calls[INSPECTION_CALL_SLEEP].through);
        assert_text_must_end(instruction->words);
        assert_text_must_end(instruction->target);
        assert_text_must_end(block->functions[0].name);
        assert_text_must_end(block->sources[0].name);
        assert_text_must_end(block->sources[0].path);
}

TEST(counts_and_places_must_lie_within) {
        make_valid();
        REFUSED(block->n_entries++);
        REFUSED(block->n_functions = INSPECTION_FUNCTIONS_MAX + 1);
        REFUSED(block->n_instructions++);
        REFUSED(block->n_sources = INSPECTION_SOURCES_MAX + 1);
        REFUSED(block->instructions[7].function = 1);
        REFUSED(block->instructions[7].n_bytes = INSPECTION_CODE_MAX + 1);
        REFUSED(block->instructions[7].flags = _INSPECTION_FLAGS + 1);
        block->instructions[7].source = 1;
        assert_int_equal(inspection_block_check(block), 0); /* it has none */
        REFUSED(block->instructions[7].flags = INSPECTION_HAS_SOURCE);
        REFUSED(block->entries[3].loop.start = 2; block->entries[3].loop.end = 1);
        REFUSED(block->entries[3].loop.empty = _INSPECTION_FACT_N);
        REFUSED(block->entries[3].loop.counting = 2);
        REFUSED(block->stripped = _INSPECTION_FACT_N);
        REFUSED(block->no_path = _INSPECTION_NO_PATH_N);
        REFUSED(block->head.magic = 0);
}

static int set_up(void **state) {
        block = malloc(sizeof *block);
        return block ? 0 : -1;
}

static int tear_down(void **state) {
        free(block);
        return 0;
}

TEST_FILE(set_up, tear_down)

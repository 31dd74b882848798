/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Files in memory are told where the loop works on them, and not where the benchmark says that memory is what it means.
 */

#include "front/report/file-findings.h"

#include "ops/inspection-block.h"
#include "test.h"

static InspectionBlock *block;
static Arena *arena;

/* The finding of area/name, whose loop calls @function, of @kind, and which used @files, the last of which is NULL; or NULL. */
static const char *found(InspectionCallKind kind, const char *function, const char *about, const char *label,
                char **files) {
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        InspectionEntry *entry = &block->entries[0];

        memset(block, 0, sizeof *block);
        block->n_entries = 1;
        snprintf(entry->area, sizeof entry->area, "area");
        snprintf(entry->name, sizeof entry->name, "name");
        snprintf(entry->calls[kind].function, sizeof entry->calls[kind].function, "%s", function);
        result.area = (char *)"area";
        result.name = (char *)"name";
        result.about = (char *)about;
        result.label = (char *)label;
        result.files = files;
        while (files[result.n_files])
                result.n_files++;
        assert_int_equal(file_findings_add(arena, function[0] ? block : NULL, &result), 0);
        assert_int_equal(result.n_findings, result.n_warnings);
        assert_true(result.n_findings <= 1);
        if (result.n_findings == 0)
                return NULL;
        assert_string_equal(result.findings[0]->kind, "memory-files");
        return result.warnings[0];
}

#define USED(...)                                                                                                      \
 (char *[]) {                                                                                                          \
  __VA_ARGS__ __VA_OPT__(, ) NULL                                                                                      \
 }

TEST(changed_files_in_memory_are_told_whatever_the_code_shows) {
        char *memory = (char *)"memory", *changed = (char *)"memory-changed";

        assert_non_null(strstr(found(0, "", NULL, NULL, USED(memory, changed)), "--dir=DIRECTORY"));
        assert_non_null(found(INSPECTION_CALL_OUTPUT, "write", NULL, NULL, USED(memory, changed)));
        assert_null(found(0, "", NULL, NULL, USED(memory)));
        assert_null(found(0, "", NULL, NULL, USED()));
}

TEST(a_sync_or_an_opening_is_told_where_files_in_memory_are_there) {
        char *memory = (char *)"memory", *disk = (char *)"disk";

        assert_non_null(strstr(found(INSPECTION_CALL_SYNC, "msync", NULL, NULL, USED(memory)), "msync()"));
        assert_non_null(strstr(found(INSPECTION_CALL_FILE, "open", NULL, NULL, USED(memory)), "open()"));
        assert_null(found(INSPECTION_CALL_INPUT, "read", NULL, NULL, USED(memory)));
        assert_null(found(INSPECTION_CALL_SYNC, "msync", NULL, NULL, USED(disk)));
        assert_null(found(INSPECTION_CALL_FILE, "open", NULL, NULL, USED()));
}

TEST(a_benchmark_that_names_memory_means_it) {
        char *changed = (char *)"memory-changed";

        assert_null(found(0, "", "a write to a file on a tmpfs", NULL, USED(changed)));
        assert_null(found(0, "", NULL, "tmpfs", USED(changed)));
        assert_null(found(0, "", "bytes into a memfd", NULL, USED(changed)));
        assert_non_null(found(0, "", "a durable write", "ext4", USED(changed)));
}

static int set_up(void **state) {
        block = calloc(1, sizeof *block);
        return block ? arena_new(&arena) : -1;
}

static int tear_down(void **state) {
        arena_free(arena);
        free(block);
        return 0;
}

TEST_FILE(set_up, tear_down)

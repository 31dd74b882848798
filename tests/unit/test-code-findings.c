/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * Findings in the machine code come where a call is a mistake, and not where the benchmark is about it, or where the run told the same.
 */

#include "front/report/code-findings.h"

#include "front/base/warning.h"
#include "ops/inspection-block.h"
#include "test.h"

static InspectionBlock *block;
static Arena *arena;
static char said[512]; /* the last sentence of a result */

/* A module with one benchmark, whose loop calls @function, of @kind. */
static InspectionEntry *entry_calls(InspectionCallKind kind, const char *function) {
        InspectionEntry *entry = &block->entries[0];

        memset(block, 0, sizeof *block);
        block->n_entries = 1;
        snprintf(entry->area, sizeof entry->area, "area");
        snprintf(entry->name, sizeof entry->name, "name");
        entry->loop.n_instructions = 10;
        entry->loop.empty = INSPECTION_NO;
        snprintf(entry->calls[kind].function, sizeof entry->calls[kind].function, "%s", function);
        return entry;
}

/* The findings of area/@name, joined by commas, timed by @clock, which has @seen already unless that is _WARNING_KIND_N. */
static const char *found_by(const char *clock, const char *name, WarningKind seen) {
        static char words[256];
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        WarningList warnings = {};

        if (seen != _WARNING_KIND_N)
                warning_add(&warnings, arena, seen, "seen");
        result.area = (char *)"area";
        result.name = (char *)name;
        result.clock = (char *)clock;
        result.warnings = warnings.texts.texts, result.n_warnings = warnings.texts.n;
        result.findings = warnings.findings, result.n_findings = warnings.n_findings;
        assert_int_equal(code_findings_add(arena, block, &result), 0);
        assert_int_equal(result.n_findings, result.n_warnings);
        words[0] = said[0] = 0;
        for (size_t i = 0; i < result.n_findings; i++)
                snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s", i > 0 ? "," : "",
                                result.findings[i]->kind);
        if (result.n_warnings > 0)
                snprintf(said, sizeof said, "%s", result.warnings[result.n_warnings - 1]);
        return words;
}

static const char *found(const char *name, WarningKind seen) {
        return found_by("wall", name, seen);
}

static int set_up(void **state) {
        block = calloc(1, sizeof *block);
        return block ? arena_new(&arena) : -1;
}

static int tear_down(void **state) {
        free(block);
        arena = arena_free(arena);
        return 0;
}

TEST_EACH(set_up, tear_down)

TEST(each_kind_of_call_is_found) {
        entry_calls(INSPECTION_CALL_OUTPUT, "printf");
        assert_string_equal(found("name", _WARNING_KIND_N), "calls-output");
        entry_calls(INSPECTION_CALL_INPUT, "fread");
        assert_string_equal(found("name", _WARNING_KIND_N), "calls-input");
        entry_calls(INSPECTION_CALL_FILE, "fopen");
        assert_string_equal(found("name", _WARNING_KIND_N), "calls-file");
        entry_calls(INSPECTION_CALL_SLEEP, "usleep");
        assert_string_equal(found("name", _WARNING_KIND_N), "calls-sleep");
        assert_string_equal(found("another", _WARNING_KIND_N), "");
}

TEST(a_benchmark_that_is_about_a_call_may_make_it) {
        InspectionEntry *entry = entry_calls(INSPECTION_CALL_OUTPUT, "fwrite");

        snprintf(entry->about, sizeof entry->about, "Writes a block to a stream");
        assert_string_equal(found("name", _WARNING_KIND_N), "");
        entry = entry_calls(INSPECTION_CALL_INPUT, "pread");
        snprintf(entry->title, sizeof entry->title, "pread of a page");
        assert_string_equal(found("name", _WARNING_KIND_N), "");
        entry = entry_calls(INSPECTION_CALL_FILE, "open");
        snprintf(entry->about, sizeof entry->about, "prints a number");
        assert_string_equal(found("name", _WARNING_KIND_N), "calls-file");
}

TEST(what_the_run_saw_is_not_said_twice) {
        entry_calls(INSPECTION_CALL_OUTPUT, "printf");
        assert_string_equal(found("name", WARNING_PRINTS), "prints");
        assert_string_equal(found("name", WARNING_WAITS), "waits,calls-output");
        entry_calls(INSPECTION_CALL_SLEEP, "usleep");
        assert_string_equal(found("name", WARNING_WAITS), "waits");
}

TEST(a_call_is_named_only_where_the_clock_times_it) {
        entry_calls(INSPECTION_CALL_SLEEP, "usleep");
        assert_string_equal(found_by("cpu", "name", _WARNING_KIND_N), "");
        assert_string_equal(found_by("own", "name", _WARNING_KIND_N), "");
        entry_calls(INSPECTION_CALL_INPUT, "fread");
        assert_string_equal(found_by("cpu", "name", _WARNING_KIND_N), "calls-input");
        assert_string_equal(found_by("own", "name", _WARNING_KIND_N), "");
}

TEST(an_empty_loop_is_found_unless_it_is_called_so) {
        InspectionEntry *entry = entry_calls(INSPECTION_CALL_OUTPUT, "");

        entry->loop.empty = INSPECTION_YES;
        assert_string_equal(found("name", _WARNING_KIND_N), "empty-loop");
        snprintf(entry->about, sizeof entry->about, "The loop with nothing in it");
        assert_string_equal(found("name", _WARNING_KIND_N), "");
        entry->loop.empty = INSPECTION_UNKNOWN;
        entry->about[0] = 0;
        assert_string_equal(found("name", _WARNING_KIND_N), "");
}

/* The findings of area/@name with their texts, which has @seen already, between two others. */
static const char *found_with(const char *name, WarningKind seen) {
        static char words[256];
        Benchd__BenchmarkResult result = BENCHD__BENCHMARK_RESULT__INIT;
        WarningList warnings = {};

        warning_add(&warnings, arena, WARNING_SKEW, "first");
        warning_add(&warnings, arena, seen, "seen");
        warning_add(&warnings, arena, WARNING_DRIFT, "last");
        result.area = (char *)"area";
        result.name = (char *)name;
        result.warnings = warnings.texts.texts, result.n_warnings = warnings.texts.n;
        result.findings = warnings.findings, result.n_findings = warnings.n_findings;
        assert_int_equal(code_findings_add(arena, block, &result), 0);
        assert_int_equal(result.n_findings, result.n_warnings);
        words[0] = 0;
        for (size_t i = 0; i < result.n_findings; i++)
                snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s:%.5s", i > 0 ? "," : "",
                                result.findings[i]->kind, result.warnings[i]);
        return words;
}

TEST(openmp_on_one_cpu_is_told_of_the_rows_that_call_it_alone) {
        entry_calls(INSPECTION_CALL_PARALLEL, "GOMP_parallel");
        snprintf(block->entries[1].area, sizeof block->entries[1].area, "area");
        snprintf(block->entries[1].name, sizeof block->entries[1].name, "serial");
        block->n_entries = 2;
        assert_string_equal(found_with("name", WARNING_ONE_CPU), "skew:first,drift:last,one-cpu:its l");
        assert_string_equal(found_with("serial", WARNING_ONE_CPU), "skew:first,drift:last");
        assert_string_equal(found_with("name", WARNING_OTHER_THREADS), "skew:first,other-threads:seen,drift:last");
}

TEST(a_library_that_runs_in_parallel_is_told_where_the_module_itself_calls_no_openmp) {
        entry_calls(INSPECTION_CALL_PARALLEL, "");
        assert_string_equal(found_with("name", WARNING_ONE_CPU), "skew:first,one-cpu:seen,drift:last");
}

TEST(an_inner_loop_that_counts_is_found_with_its_line) {
        InspectionEntry *entry = entry_calls(INSPECTION_CALL_OUTPUT, "");

        entry->loop.counting = 1;
        assert_string_equal(found("name", _WARNING_KIND_N), "empty-inner-loop");
        entry->loop.counting_line = 17;
        assert_string_equal(found("name", _WARNING_KIND_N), "empty-inner-loop");
        assert_non_null(strstr(said, "an inner loop (line 17) does nothing but count"));
        snprintf(entry->about, sizeof entry->about, "An empty loop of a thousand rounds");
        assert_string_equal(found("name", _WARNING_KIND_N), "");
}

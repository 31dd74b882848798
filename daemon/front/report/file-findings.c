/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/file-findings.h"

#include <string.h>

#include "front/base/warning.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"

/* Texts that say that memory is meant. */
static const char *const memory_words[] = { "tmpfs", "ramfs", "memfd", "shm", "in memory", "in-memory", "shared memory",
        "cache" };

static bool result_names(const Benchd__BenchmarkResult *result, const char *word) {
        const char *const texts[] = { result->area, result->name, result->title, result->about, result->label };

        for (size_t i = 0; i < N_ELEMENTS(texts); i++)
                if (texts[i] && strcasestr(texts[i], word))
                        return true;
        return false;
}

static bool result_names_memory(const Benchd__BenchmarkResult *result) {
        for (size_t i = 0; i < N_ELEMENTS(memory_words); i++)
                if (result_names(result, memory_words[i]))
                        return true;
        return false;
}

bool file_findings_used(const Benchd__BenchmarkResult *result, const char *word) {
        for (size_t i = 0; i < result->n_files; i++)
                if (strcmp(result->files[i], word) == 0)
                        return true;
        return false;
}

/* The function of the loop that works on a file without a change that the kernel notes; or NULL. */
static const char *entry_calls(const InspectionEntry *entry) {
        static const InspectionCallKind kinds[] = { INSPECTION_CALL_SYNC, INSPECTION_CALL_FILE };

        for (size_t i = 0; entry && i < N_ELEMENTS(kinds); i++)
                if (entry->calls[kinds[i]].function[0])
                        return entry->calls[kinds[i]].function;
        return NULL;
}

#define MEANING                                                                                                        \
 "no disk takes part, and a sync waits for nothing. --dir=DIRECTORY puts them on the disk of DIRECTORY; or name "      \
 "memory (tmpfs) in .about if that is what you measure"

int file_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result) {
        const InspectionEntry *entry = block ? inspection_block_find(block, result->area, result->name) : NULL;
        const char *function = entry_calls(entry);
        WarningList warnings = { .texts = { result->warnings, result->n_warnings },
                result->findings,
                result->n_findings };

        if (result_names_memory(result))
                return 0;
        if (file_findings_used(result, "memory-changed"))
                warning_add(&warnings, arena, WARNING_MEMORY_FILES,
                                "it writes, makes or removes files in memory (a tmpfs or memfd): " MEANING);
        else if (function && file_findings_used(result, "memory"))
                warning_add(&warnings, arena, WARNING_MEMORY_FILES,
                                "its loop calls %s(), and its files are in memory (a tmpfs or memfd): " MEANING,
                                arena_text(arena, function));
        result->warnings = warnings.texts.texts;
        result->n_warnings = warnings.texts.n;
        result->findings = warnings.findings;
        result->n_findings = warnings.n_findings;
        return error_trace(arena_check(arena));
}

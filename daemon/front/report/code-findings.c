/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/code-findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "front/base/warning.h"
#include "front/report/file-findings.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CODE_FINDING_WORDS_MAX 8u

typedef struct CodeFinding {
        WarningKind kind;
        WarningKind seen; /* the run's own finding of this matter; _WARNING_KIND_N: it has none */
        const char *act;  /* that the time includes */
        const char *advice;
        const char *words[CODE_FINDING_WORDS_MAX]; /* in the benchmark's texts, that name the matter */
} CodeFinding;

static const CodeFinding findings[_INSPECTION_CALL_N] = {
        [INSPECTION_CALL_OUTPUT] = { WARNING_CALLS_OUTPUT, WARNING_PRINTS, "output", "Print after the loop",
                        { "print", "write", "output", "put", "stream", "flush" } },
        [INSPECTION_CALL_INPUT] = { WARNING_CALLS_INPUT, _WARNING_KIND_N, "reading", "Read before the loop",
                        { "read", "recv", "receive", "input", "scan", "get", "pars" } },
        [INSPECTION_CALL_FILE] = { WARNING_CALLS_FILE, _WARNING_KIND_N, "looking up a file", "Open it before the loop",
                        { "file", "open", "stat", "path", "director", "link", "access" } },
        [INSPECTION_CALL_SLEEP] = { WARNING_CALLS_SLEEP, WARNING_WAITS, "waiting", "Take it out of the loop",
                        { "sleep", "wait", "poll", "select", "timer", "event" } },
};

/* ... that calls of all kinds are what the benchmark is about. */
static const char *const call_words[] = { "system call", "system_call", "syscall", "pipe", "socket" };

/* Functions that take any descriptor: what they write need not be text for a reader. */
static const char *const raw_calls[] = { "write", "writev", "read", "readv" };

/* ... and those that take sockets alone. */
static const char *const socket_calls[] = { "recv", "recvfrom", "recvmsg" };

/* Texts that say that a loop is empty on purpose. */
static const char *const empty_words[] = { "empty", "nothing", "baseline", "overhead" };

static bool entry_names(const InspectionEntry *entry, const char *word) {
        return strcasestr(entry->area, word) || strcasestr(entry->name, word) || strcasestr(entry->title, word) ||
               strcasestr(entry->about, word);
}

static bool entry_names_one(const InspectionEntry *entry, const char *const *words, size_t n) {
        for (size_t i = 0; i < n && words[i]; i++)
                if (entry_names(entry, words[i]))
                        return true;
        return false;
}

static bool result_has(const Benchd__BenchmarkResult *result, WarningKind kind) {
        if (kind == _WARNING_KIND_N)
                return false;
        for (size_t i = 0; i < result->n_findings; i++)
                if (strcmp(result->findings[i]->kind, warning_words(kind)->kind) == 0)
                        return true;
        return false;
}

static bool is_one_of(const char *function, const char *const *functions, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (strcmp(function, functions[i]) == 0)
                        return true;
        return false;
}

/* To write to a socket, a pipe or an event is to send, to read is to receive: no mistake, and nothing that a program prints. */
static bool is_of_channel(const Benchd__BenchmarkResult *result, const InspectionEntry *entry, unsigned kind) {
        if (kind != INSPECTION_CALL_OUTPUT && kind != INSPECTION_CALL_INPUT)
                return false;
        return is_one_of(entry->calls[kind].function, socket_calls, N_ELEMENTS(socket_calls)) ||
               file_findings_used(result, "socket") || file_findings_used(result, "pipe") ||
               file_findings_used(result, "event");
}

static void report_call(Arena *arena, const InspectionEntry *entry, unsigned kind, WarningList *warnings) {
        const InspectionCall *call = &entry->calls[kind];
        const char *function = arena_text(arena, call->function), *through = arena_text(arena, call->through);
        const bool writes =
                        kind == INSPECTION_CALL_OUTPUT && is_one_of(call->function, raw_calls, N_ELEMENTS(raw_calls));

        if (function && through)
                warning_add(warnings, arena, findings[kind].kind,
                                "its loop calls %s()%s%s: %s is timed with it. %s, or name it in .about if it is what you "
                                "measure",
                                function, *through ? " through " : "", through, writes ? "writing" : findings[kind].act,
                                writes ? "Write after the loop" : findings[kind].advice);
}

static void report_counting(WarningList *warnings, Arena *arena, uint32_t line) {
        char place[32] = "";

        if (line > 0)
                snprintf(place, sizeof place, " (line %" PRIu32 ")", line);
        warning_add(warnings, arena, WARNING_EMPTY_INNER_LOOP,
                        "an inner loop%s does nothing but count: the compiler has removed its work, or moved it before the loop. Pass "
                        "its result to bench_use(), and the pointer to an array that it writes, before it: the compiler drops a "
                        "store that no other code can see",
                        place);
}

/* A time that the body tells is of what the body says, and no CPU time is spent in waiting. */
static bool is_timed(const Benchd__BenchmarkResult *result, unsigned kind) {
        const char *clock = result->clock ? result->clock : "";

        return strcmp(clock, "own") != 0 && (kind != INSPECTION_CALL_SLEEP || strcmp(clock, "cpu") != 0);
}

/* A call of @kind that mostly stands in a loop by mistake, and does here as far as is known. */
static bool is_mistaken(const Benchd__BenchmarkResult *result, const InspectionEntry *entry, unsigned kind) {
        return findings[kind].act && entry->calls[kind].function[0] && is_timed(result, kind) &&
               !result_has(result, findings[kind].seen) && !is_of_channel(result, entry, kind) &&
               !entry_names(entry, entry->calls[kind].function) &&
               !entry_names_one(entry, call_words, N_ELEMENTS(call_words)) &&
               !entry_names_one(entry, findings[kind].words, CODE_FINDING_WORDS_MAX);
}

static bool module_is_parallel(const InspectionBlock *block) {
        for (uint32_t i = 0; i < block->n_entries; i++)
                if (block->entries[i].calls[INSPECTION_CALL_PARALLEL].function[0])
                        return true;
        return false;
}

static void drop_finding(WarningList *warnings, WarningKind kind) {
        size_t n = 0;

        for (size_t i = 0; i < warnings->n_findings; i++) {
                if (strcmp(warnings->findings[i]->kind, warning_words(kind)->kind) == 0)
                        continue;
                warnings->findings[n] = warnings->findings[i];
                warnings->texts.texts[n++] = warnings->texts.texts[i];
        }
        warnings->n_findings = warnings->texts.n = n;
}

/*
 * A library that could have run in parallel is told of all rows of its process (samples/behaviour.c). The rows that call OpenMP are known by
 * the module's own code if any of it does, and the other rows are not told.
 */
static void report_parallel(Arena *arena, const InspectionBlock *block, const InspectionEntry *entry,
                const Benchd__BenchmarkResult *result, WarningList *warnings) {
        const InspectionCall *call = &entry->calls[INSPECTION_CALL_PARALLEL];
        const char *function = arena_text(arena, call->function);

        if (!module_is_parallel(block) || !result_has(result, WARNING_ONE_CPU))
                return;
        drop_finding(warnings, WARNING_ONE_CPU);
        if (function && *function)
                warning_add(warnings, arena, WARNING_ONE_CPU,
                                "its loop calls %s(), and OpenMP had one CPU: it ran in one thread. Lend CPUs to it "
                                "(--cpus-per-run=2 or more, or .cpus)",
                                function);
}

int code_findings_add(Arena *arena, const InspectionBlock *block, Benchd__BenchmarkResult *result) {
        const InspectionEntry *entry = inspection_block_find(block, result->area, result->name);
        WarningList warnings = { .texts = { result->warnings, result->n_warnings },
                result->findings,
                result->n_findings };

        if (!entry)
                return 0;
        if (entry->loop.empty == INSPECTION_YES && !entry_names_one(entry, empty_words, N_ELEMENTS(empty_words)))
                warning_add(&warnings, arena, WARNING_EMPTY_LOOP,
                                "its loop does nothing but count: the compiler has removed the work, or moved it before the loop. Pass "
                                "what it needs through bench_opaque(), and its result to bench_use()");
        if (entry->loop.counting && !entry_names_one(entry, empty_words, N_ELEMENTS(empty_words)))
                report_counting(&warnings, arena, entry->loop.counting_line);
        for (unsigned i = 0; i < _INSPECTION_CALL_N; i++)
                if (is_mistaken(result, entry, i))
                        report_call(arena, entry, i, &warnings);
        report_parallel(arena, block, entry, result, &warnings);
        result->warnings = warnings.texts.texts;
        result->n_warnings = warnings.texts.n;
        result->findings = warnings.findings;
        result->n_findings = warnings.n_findings;
        return error_trace(arena_check(arena));
}

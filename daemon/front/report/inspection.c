/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "front/report/inspection.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "front/base/message.h"
#include "front/samples/process-end.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"

/* NULL, which is absent, for an empty text. */
static char *text_or_absent(Arena *arena, const char *text) {
        return *text ? arena_text(arena, text) : NULL;
}

/* ---- the build */

#define message_set_fact(message, field, fact)                                                                         \
 do {                                                                                                                  \
  if ((fact) != INSPECTION_UNKNOWN)                                                                                    \
   message_set(message, field, (fact) == INSPECTION_YES);                                                              \
 } while (0)

void inspection_fill_module(Arena *arena, const InspectionBlock *block, Benchd__Module *module) {
        module->build_id = text_or_absent(arena, block->build_id);
        module->compiler = text_or_absent(arena, block->compiler);
        module->flags = text_or_absent(arena, block->flags);
        message_set_fact(module, debug_info, block->debug_info);
        message_set_fact(module, stripped, block->stripped);
        message_set_fact(module, optimized, block->optimized);
}

/* ---- benchmarks */

static Benchd__TimedLoop *build_loop(Arena *arena, const InspectionLoop *of) {
        Benchd__TimedLoop *loop = message_new(arena, Benchd__TimedLoop, benchd__timed_loop);

        if (!loop)
                return NULL;
        loop->function = text_or_absent(arena, of->function);
        message_set(loop, start, of->start);
        message_set(loop, end, of->end);
        message_set(loop, line_offset, of->start % INSPECTION_LINE_BYTES);
        message_set(loop, instructions, of->n_instructions);
        return loop;
}

static const char *const call_kinds[_INSPECTION_CALL_N] = {
        [INSPECTION_CALL_OUTPUT] = "output",
        [INSPECTION_CALL_INPUT] = "input",
        [INSPECTION_CALL_FILE] = "file",
        [INSPECTION_CALL_SLEEP] = "sleep",
        [INSPECTION_CALL_SYNC] = "sync",
        [INSPECTION_CALL_PARALLEL] = "parallel",
};

static int fill_calls(Arena *arena, const InspectionEntry *entry, Benchd__InspectedBenchmark *benchmark) {
        benchmark->calls = arena_zero(arena, _INSPECTION_CALL_N * sizeof *benchmark->calls);
        if (!benchmark->calls)
                return error_origin(-ENOMEM);
        for (unsigned i = 0; i < _INSPECTION_CALL_N; i++) {
                Benchd__TimedCall *call;

                if (!entry->calls[i].function[0])
                        continue;
                call = message_new(arena, Benchd__TimedCall, benchd__timed_call);
                if (!call)
                        return error_origin(-ENOMEM);
                call->kind = (char *)call_kinds[i];
                call->function = arena_text(arena, entry->calls[i].function);
                call->through = text_or_absent(arena, entry->calls[i].through);
                benchmark->calls[benchmark->n_calls++] = call;
        }
        return 0;
}

static int build_benchmark(Arena *arena, const InspectionEntry *entry, Benchd__InspectedBenchmark **ret_benchmark) {
        Benchd__InspectedBenchmark *benchmark =
                        message_new(arena, Benchd__InspectedBenchmark, benchd__inspected_benchmark);

        if (!benchmark)
                return error_origin(-ENOMEM);
        benchmark->area = arena_text(arena, entry->area);
        benchmark->name = arena_text(arena, entry->name);
        benchmark->file = arena_text(arena, entry->file);
        message_set(benchmark, line, entry->line);
        if (entry->loop.n_instructions > 0) {
                benchmark->loop = build_loop(arena, &entry->loop);
                message_set_fact(benchmark, empty, entry->loop.empty);
        }
        *ret_benchmark = benchmark;
        return error_trace(fill_calls(arena, entry, benchmark));
}

/* ---- code and source */

static char *hexadecimal(Arena *arena, const uint8_t *bytes, size_t n) {
        static const char digits[] = "0123456789abcdef";
        char *text = arena_zero(arena, 2 * n + 1);

        for (size_t i = 0; text && i < n; i++) {
                text[2 * i] = digits[bytes[i] >> 4];
                text[2 * i + 1] = digits[bytes[i] & 15];
        }
        return text;
}

static int build_instruction(Arena *arena, const InspectionInstruction *of, Benchd__Instruction **ret_instruction) {
        Benchd__Instruction *instruction = message_new(arena, Benchd__Instruction, benchd__instruction);

        if (!instruction)
                return error_origin(-ENOMEM);
        message_set(instruction, address, of->address);
        instruction->bytes = hexadecimal(arena, of->bytes, of->n_bytes);
        instruction->text = arena_text(arena, of->words);
        message_set(instruction, in_loop, (of->flags & INSPECTION_IN_LOOP) != 0);
        message_set(instruction, timed, (of->flags & INSPECTION_TIMED) != 0);
        instruction->target = text_or_absent(arena, of->target);
        if (of->flags & INSPECTION_HAS_TARGET)
                message_set(instruction, target_address, of->target_address);
        if (of->flags & INSPECTION_HAS_SOURCE) {
                message_set(instruction, source, of->source);
                message_set(instruction, line, of->line);
        }
        *ret_instruction = instruction;
        return 0;
}

static int build_function(Arena *arena, const InspectionBlock *block, uint32_t index,
                Benchd__CodeFunction **ret_function) {
        Benchd__CodeFunction *function = message_new(arena, Benchd__CodeFunction, benchd__code_function);

        if (!function)
                return error_origin(-ENOMEM);
        function->name = text_or_absent(arena, block->functions[index].name);
        message_set(function, address, block->functions[index].address);
        function->instructions = arena_zero(arena, (block->n_instructions + 1) * sizeof *function->instructions);
        if (!function->instructions)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_instructions; i++) {
                int r;

                if (block->instructions[i].function != index)
                        continue;
                r = build_instruction(arena, &block->instructions[i],
                                &function->instructions[function->n_instructions]);
                if (r)
                        return error_trace(r);
                function->n_instructions++;
        }
        *ret_function = function;
        return 0;
}

static const char *const no_path_words[_INSPECTION_NO_PATH_N] = {
        [INSPECTION_NO_PATH_COMPILED] = "has no debug information (compile it with -g)",
        [INSPECTION_NO_PATH_STRIPPED] = "was stripped of its debug information",
        [INSPECTION_NO_PATH_LINKED] =
                        "has its debug information in a separate file (.gnu_debuglink), which benchd does not read",
        [INSPECTION_NO_PATH_COMPRESSED] =
                        "has debug information that is compressed otherwise than with zlib, which benchd cannot read "
                        "(objcopy --decompress-debug-sections)",
        [INSPECTION_NO_PATH_NAMED] = "has debug information that names no file for it",
};

static int build_source(Arena *arena, const InspectionSource *of, Benchd__SourceFile **ret_source) {
        Benchd__SourceFile *source = message_new(arena, Benchd__SourceFile, benchd__source_file);

        if (!source)
                return error_origin(-ENOMEM);
        source->name = arena_text(arena, of->name);
        source->path = text_or_absent(arena, of->path);
        *ret_source = source;
        return 0;
}

static int fill_functions(Arena *arena, const InspectionBlock *block, Benchd__Inspection *inspection) {
        inspection->functions = arena_zero(arena, INSPECTION_FUNCTIONS_MAX * sizeof *inspection->functions);
        if (!inspection->functions)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < block->n_functions; i++) {
                int r = build_function(arena, block, i, &inspection->functions[i]);

                if (r)
                        return error_trace(r);
                inspection->n_functions++;
        }
        return 0;
}

/* Without the code only the benchmark's own source is of interest. */
static int fill_sources(Arena *arena, const InspectionBlock *block, const Benchd__InspectRequest *request,
                Benchd__Inspection *inspection) {
        const uint32_t n = request->code || block->n_sources == 0 ? block->n_sources : 1;

        inspection->sources = arena_zero(arena, INSPECTION_SOURCES_MAX * sizeof *inspection->sources);
        if (!inspection->sources)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < n; i++) {
                int r = build_source(arena, &block->sources[i], &inspection->sources[i]);

                if (r)
                        return error_trace(r);
                inspection->n_sources++;
        }
        if (n > 0 && no_path_words[block->no_path])
                inspection->sources[0]->no_path = (char *)no_path_words[block->no_path];
        if (request->source && block->first_line > 0 && n > 0) {
                inspection->sources[0]->text = arena_lines(arena, block->text, strlen(block->text));
                message_set(inspection->sources[0], first_line, block->first_line);
        }
        return 0;
}

static void fill_cuts(Arena *arena, const InspectionBlock *block, const Benchd__InspectRequest *request,
                Benchd__Inspection *inspection) {
        ArenaList cuts = {};

        if (request->code && block->n_cut > 0)
                arena_list_add(&cuts, arena, "%u more instructions are left out: a reply has at most %u", block->n_cut,
                                INSPECTION_INSTRUCTIONS_MAX);
        if (request->source && block->text_cut)
                arena_list_add(&cuts, arena, "the source is shown in part: a reply has at most %u bytes of it",
                                INSPECTION_TEXT_MAX - 1);
        inspection->cuts = cuts.texts;
        inspection->n_cuts = cuts.n;
}

/* ---- the whole */

int inspection_build(Arena *arena, const InspectionBlock *block, const Benchd__InspectRequest *request,
                const char *name, const char *sha256, Benchd__Inspection **ret_inspection) {
        Benchd__Inspection *inspection = message_new(arena, Benchd__Inspection, benchd__inspection);
        int r;

        if (!inspection)
                return error_origin(-ENOMEM);
        inspection->module = message_new(arena, Benchd__Module, benchd__module);
        inspection->benchmarks = arena_zero(arena, (block->n_entries + 1) * sizeof *inspection->benchmarks);
        if (!inspection->module || !inspection->benchmarks)
                return error_origin(-ENOMEM);
        inspection->module->name = arena_text(arena, name);
        inspection->module->sha256 = arena_text(arena, sha256);
        inspection_fill_module(arena, block, inspection->module);
        for (uint32_t i = 0; i < block->n_entries; i++) {
                r = build_benchmark(arena, &block->entries[i], &inspection->benchmarks[i]);
                if (r)
                        return error_trace(r);
                inspection->n_benchmarks++;
        }
        r = request->code ? fill_functions(arena, block, inspection) : 0;
        if (r == 0)
                r = fill_sources(arena, block, request, inspection);
        if (r)
                return error_trace(r);
        fill_cuts(arena, block, request, inspection);
        *ret_inspection = inspection;
        return error_trace(arena_check(arena));
}

void inspection_explain_end(const char *name, const InspectionBlock *block, const ProcessEnd *end,
                ReplyError *ret_why) {
        if (block && block->head.end == RUNNER_END_NO_SUCH_BENCHMARK) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__NO_MATCH, "%s: %s.", name, block->head.message);
                reply_error_hint(ret_why, "'benchctl list' shows the benchmarks of a module.");
        } else if (end->of_daemon) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__INTERNAL, "%s: %s", name, end->message);
        } else if (end->of_module) {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_MODULE, "%s: %s", name, end->message);
        } else {
                reply_error_set(ret_why, BENCHD__ERROR__CODE__BAD_MODULE,
                                "%s: The file could not be inspected: its reader did not survive it (%s).", name,
                                end->code);
                reply_error_hint(ret_why, "Rebuild it with the compiler and linker of this system.");
        }
        if (end->of_module)
                ret_why->failure = end->code;
}

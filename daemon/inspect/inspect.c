/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/inspect.h"

#include <elfutils/libdwelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "inspect/calls.h"
#include "inspect/code.h"
#include "inspect/disassembly.h"
#include "inspect/image.h"
#include "inspect/loop.h"
#include "util/cleanup.h"
#include "util/error.h"

#define BODY_FUNCTIONS_MAX 16u /* searched for the loop of one benchmark */

DEFINE_CLEANUP(DisassemblyDebug *, disassembly_debug_free)

static void inspect_end(InspectionBlock *block, RunnerEnd end, const char *format, ...)
                __attribute__((format(printf, 3, 4)));

static void inspect_end(InspectionBlock *block, RunnerEnd end, const char *format, ...) {
        va_list arguments;

        va_start(arguments, format);
        vsnprintf(block->head.message, sizeof block->head.message, format, arguments);
        va_end(arguments);
        block->head.end = end;
}

/* ---- the build */

static void inspect_build_id(const Image *image, InspectionBlock *block) {
        const void *bits;
        const ssize_t n = dwelf_elf_gnu_build_id(image_elf(image), &bits);

        for (ssize_t i = 0; i < n && 2 * i + 2 < (ssize_t)INSPECTION_BUILD_ID_MAX; i++)
                snprintf(block->build_id + 2 * i, 3, "%02x", ((const uint8_t *)bits)[i]);
}

static InspectionFact fact(bool holds) {
        return holds ? INSPECTION_YES : INSPECTION_NO;
}

static void inspect_build(const Image *image, const ImageDescriptors *descriptors, DisassemblyDebug *info,
                InspectionBlock *block) {
        size_t n;

        inspect_build_id(image, block);
        snprintf(block->compiler, sizeof block->compiler, "%s", descriptors->compiler ? descriptors->compiler : "");
        block->optimized = fact(descriptors->optimized != 0);
        block->stripped = fact(!image_has_symbols(image));
        block->debug_info = fact(info && image_section(image, ".debug_info", &n));
        if (info && descriptors->n > 0)
                (void)disassembly_debug_flags(info, descriptors->rows[0].body, block->flags);
}

/* ---- a benchmark */

/* The function with the loop of a benchmark, and the loop. */
typedef struct Body {
        Code *code; /* NULL: not found */
        Loop loop;
} Body;

static void body_clear(Body *body) {
        code_free(body->code);
        loop_clear(&body->loop);
        *body = (Body){};
}

static bool list_add(uint64_t *list, size_t *n, uint64_t address) {
        for (size_t i = 0; i < *n; i++)
                if (list[i] == address)
                        return false;
        if (*n == BODY_FUNCTIONS_MAX)
                return false;
        list[(*n)++] = address;
        return true;
}

/*
 * Looks for the loop in the function that the runner calls, then in functions that it calls or whose address it takes: in C++ a
 * function that catches exceptions calls the body, and an author may share a loop between benchmarks.
 */
static int inspect_find_body(const Image *image, Decoder *decoder, uint64_t entry, Body *ret_body) {
        uint64_t list[BODY_FUNCTIONS_MAX] = { entry };
        size_t n = 1;

        for (size_t at = 0; at < n; at++) {
                _cleanup_(code_freep) Code *code = NULL;
                int r;

                r = code_new(decoder, list[at], &code);
                if (r)
                        return error_trace(r);
                r = loop_find(image, code, &ret_body->loop);
                if (r < 0)
                        return error_trace(r);
                if (r == 0) {
                        ret_body->code = take_pointer(code);
                        return 0;
                }
                for (uint32_t i = 0; i < code->n; i++) {
                        const DecoderInstruction *instruction = &code->instructions[i];
                        const uint64_t next = instruction->kind == CODE_ADDRESS ? instruction->target
                                                                                : code_callee(instruction);
                        const uint8_t *bytes;

                        if (next != 0 && image_code(image, next, &bytes) > 0)
                                (void)list_add(list, &n, next);
                }
        }
        return 0;
}

/* The parts of a module that are read together. */
typedef struct Inspected {
        Image *image;
        Decoder *decoder;
        DisassemblyDebug *info; /* NULL: none */
        ImageDescriptors descriptors;
} Inspected;

static void inspect_loop(const Inspected *of, const ImageDescriptor *descriptor, const Loop *loop,
                InspectionLoop *entry) {
        const ImageSymbol *symbol = image_symbol(of->image, loop->start);
        const char *path;

        snprintf(entry->function, sizeof entry->function, "%s", symbol ? symbol->name : "");
        entry->start = loop->start;
        entry->end = loop->end;
        entry->n_instructions = loop->n;
        entry->empty = loop->empty;
        entry->counting = loop->counting != 0;
        if (loop->counting != 0 && of->info &&
                        (!disassembly_debug_line(of->info, loop->counting, &path, &entry->counting_line) ||
                                        !disassembly_debug_is_file(path, descriptor->file)))
                entry->counting_line = 0;
}

static int inspect_benchmark(const Inspected *of, const ImageDescriptor *descriptor, Body *body,
                InspectionEntry *entry) {
        int r;

        memcpy(entry->area, descriptor->area, sizeof entry->area);
        memcpy(entry->name, descriptor->name, sizeof entry->name);
        snprintf(entry->title, sizeof entry->title, "%s", descriptor->title ? descriptor->title : "");
        snprintf(entry->about, sizeof entry->about, "%s", descriptor->about ? descriptor->about : "");
        snprintf(entry->file, sizeof entry->file, "%s", descriptor->file);
        entry->line = descriptor->line;
        r = inspect_find_body(of->image, of->decoder, descriptor->body, body);
        if (r || !body->code)
                return error_trace(r);
        inspect_loop(of, descriptor, &body->loop, &entry->loop);
        return error_trace(calls_find(of->image, of->decoder, body->code, &body->loop, entry->calls));
}

/* ---- the choice */

static bool is_meant(const ImageDescriptor *descriptor, const char *area, const char *benchmark) {
        return !*benchmark ||
               ((!*area || strcmp(area, descriptor->area) == 0) && strcmp(benchmark, descriptor->name) == 0);
}

/* Checks that a name means one benchmark. */
static bool inspect_choose(const ImageDescriptors *descriptors, const char *area, const char *benchmark,
                InspectionBlock *block) {
        size_t n = 0;

        for (size_t i = 0; i < descriptors->n; i++)
                n += is_meant(&descriptors->rows[i], area, benchmark);
        if (!*benchmark || n == 1)
                return true;
        if (n == 0)
                inspect_end(block, RUNNER_END_NO_SUCH_BENCHMARK, "it has no benchmark %s%s%s", area, *area ? "/" : "",
                                benchmark);
        else
                inspect_end(block, RUNNER_END_NO_SUCH_BENCHMARK,
                                "several areas have a benchmark %s: name one as AREA/%s", benchmark, benchmark);
        return false;
}

static int inspect_benchmarks(const Inspected *of, const char *area, const char *benchmark, InspectionBlock *block) {
        for (size_t i = 0; i < of->descriptors.n; i++) {
                const ImageDescriptor *descriptor = &of->descriptors.rows[i];
                InspectionEntry *entry = &block->entries[block->n_entries];
                _cleanup_(body_clear) Body body = {};
                int r;

                if (!is_meant(descriptor, area, benchmark))
                        continue;
                block->n_entries++;
                r = inspect_benchmark(of, descriptor, &body, entry);
                if (r == 0 && *benchmark)
                        r = disassembly_fill(
                                        &(DisassemblyInput){
                                                        .image = of->image,
                                                        .decoder = of->decoder,
                                                        .info = of->info,
                                                        .descriptor = descriptor,
                                                        .code = body.code,
                                                        .flags = body.loop.flags,
                                        },
                                        block);
                if (r)
                        return error_trace(r);
        }
        return 0;
}

/* ---- the whole */

static const RunnerEnd image_ends[] = {
        [IMAGE_E_NOT_ELF] = RUNNER_END_NOT_ELF,
        [IMAGE_E_MACHINE] = RUNNER_END_MACHINE,
        [IMAGE_E_NOT_SHARED] = RUNNER_END_NOT_SHARED,
        [IMAGE_E_BROKEN] = RUNNER_END_LOAD,
        [IMAGE_E_NO_SECTIONS] = RUNNER_END_NO_SECTIONS,
};

static const RunnerEnd descriptors_ends[] = {
        [IMAGE_DESCRIPTORS_E_NONE] = RUNNER_END_NO_BENCHMARKS,
        [IMAGE_DESCRIPTORS_E_BROKEN] = RUNNER_END_BAD_DESCRIPTOR,
};

static void inspected_clear(Inspected *of) {
        image_descriptors_clear(&of->descriptors);
        disassembly_debug_free(of->info);
        decoder_free(of->decoder);
        image_free(of->image);
}

void inspect_module(int fd, const char *area, const char *benchmark, InspectionBlock *block) {
        _cleanup_(inspected_clear) Inspected of = {};
        int r;

        r = image_new(fd, &of.image);
        if (r > 0) {
                inspect_end(block, image_ends[r], "%s", r == IMAGE_E_BROKEN ? "the file is cut short" : "");
                return;
        }
        if (r == 0)
                r = image_descriptors_read(of.image, &of.descriptors);
        if (r > 0) {
                inspect_end(block, descriptors_ends[r], "%s", "");
                return;
        }
        if (r == 0)
                r = decoder_new(of.image, &of.decoder);
        if (r == 0 && inspect_choose(&of.descriptors, area, benchmark, block)) {
                of.info = disassembly_debug_new(of.image);
                inspect_build(of.image, &of.descriptors, of.info, block);
                r = inspect_benchmarks(&of, area, benchmark, block);
                if (r == 0)
                        inspect_end(block, RUNNER_END_COMPLETE, "%s", "");
        }
        if (r)
                inspect_end(block, RUNNER_END_INTERNAL, "%s", strerrordesc_np(-r));
}

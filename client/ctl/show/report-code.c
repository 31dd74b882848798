/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A benchmark's source, as it was written, below its file and line; and its machine code: the facts about its timed loop in words, then
 * each function, the lines of its source between the instructions that they became, and the loop marked at the left. No line of machine
 * code is wider than the terminal.
 */

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/base/json-path.h"
#include "ctl/base/typeset.h"
#include "ctl/model/instruction.h"
#include "ctl/model/view.h"
#include "ctl/show/grid.h"
#include "ctl/show/report.h"
#include "util/cleanup.h"
#include "util/error.h"
#include "util/file-name.h"
#include "util/text-stream.h"

#define CODE_INDENT 2u

/* ---- lines within the width */

/* Ends @line and prints it in @style; its end gives way where it is too long. */
static int line_end(TextStream *line, const View *view, GridStyle style, FILE *out) {
        _cleanup_(freep) char *text = text_stream_take(line);

        if (!text)
                return error_origin(-ENOMEM);
        if (view->width > 0 && typeset_width(text) > view->width) {
                typeset_cut(text, view->width - 1);
                grid_print_styled(style, view->color, text, out);
                fputs("…\n", out);
                return 0;
        }
        grid_print_styled(style, view->color, text, out);
        fputc('\n', out);
        return 0;
}

/* ... goes on in a next one, where it is words. */
static int line_end_wrapped(TextStream *line, const View *view, FILE *out) {
        _cleanup_(freep) char *text = text_stream_take(line);

        if (!text)
                return error_origin(-ENOMEM);
        typeset_wrap(text, 0, CODE_INDENT, view->width, out);
        fputc('\n', out);
        return 0;
}

/* ---- the loop in words */

static void print_loop(const json_t *benchmark, FILE *out) {
        const json_t *loop = json_at(benchmark, "loop");
        const char *function = json_text_at(loop, "function");
        double start, end, offset, n;

        if (!json_number_at(loop, "start", &start) || !json_number_at(loop, "end", &end)) {
                fputs("No timed loop was found in the machine code.", out);
                return;
        }
        fprintf(out, "The timed loop has ");
        if (json_number_at(loop, "instructions", &n))
                fprintf(out, "%.0f instruction%s in ", n, n == 1 ? "" : "s");
        fprintf(out, "%.0f bytes, from %llx", end - start, (unsigned long long)start);
        if (json_number_at(loop, "line_offset", &offset))
                fprintf(out, ", which as linked is byte %.0f of a cache line", offset);
        if (function)
                fprintf(out, ", in %s", function);
        fputc('.', out);
        if (json_flag_at(benchmark, "empty"))
                fputs(" Nothing is left in it but counting: the compiler removed the body.", out);
}

static void print_calls(const json_t *calls, FILE *out) {
        for (size_t i = 0; i < json_array_size(calls); i++) {
                const json_t *call = json_array_get(calls, i);
                const char *through = json_text_at(call, "through");

                fprintf(out, "%s%s (%s%s%s)", i > 0 ? ", " : "It calls ", json_text_or(call, "function", "?"),
                                json_text_or(call, "kind", "?"), through ? ", through " : "", through ? through : "");
        }
        fputc('.', out);
}

static int print_head(const json_t *code, const View *view, FILE *out) {
        const json_t *benchmark = json_at(code, "benchmark"), *calls = json_at(benchmark, "calls");
        const char *area = json_text_at(benchmark, "area");
        const char *file = json_text_at(benchmark, "file"), *compiler = json_text_at(code, "module.compiler");
        _cleanup_(text_stream_clear) TextStream line = {};
        FILE *stream = text_stream_open(&line);
        double number;
        int r;

        fprintf(stream, "%s%s%s", area ? area : "", area ? "/" : "", json_text_or(benchmark, "name", "?"));
        if (file && json_number_at(benchmark, "line", &number))
                fprintf(stream, ", %s:%.0f", file_name_of(file), number);
        if (compiler)
                fprintf(stream, ", %s", compiler);
        r = line_end(&line, view, GRID_BOLD, out);
        if (r)
                return error_trace(r);
        print_loop(benchmark, text_stream_open(&line));
        r = line_end_wrapped(&line, view, out);
        if (r || json_array_size(calls) == 0)
                return error_trace(r);
        print_calls(calls, text_stream_open(&line));
        return error_trace(line_end_wrapped(&line, view, out));
}

/* ---- the code */

/* The place in the source of one instruction. */
typedef struct Place {
        double source; /* index */
        double line;
} Place;

static bool place_of(const json_t *instruction, Place *ret_place) {
        return json_number_at(instruction, "source", &ret_place->source) &&
               json_number_at(instruction, "line", &ret_place->line) && ret_place->line > 0;
}

static int print_source_line(const json_t *code, const Place *place, const View *view, FILE *out) {
        const json_t *source = json_array_get(json_at(code, "sources"), (size_t)place->source);
        const char *name = json_text_at(source, "name"), *text;
        _cleanup_(text_stream_clear) TextStream line = {};
        char key[32];

        snprintf(key, sizeof key, "%.0f", place->line);
        text = json_string_value(json_object_get(json_at(source, "lines"), key));
        fprintf(text_stream_open(&line), "%s:%s%s%s", name ? file_name_of(name) : "?", key, text && *text ? ": " : "",
                        text ? text : "");
        return error_trace(line_end(&line, view, GRID_DIM, out));
}

/* The first and the last instruction of the loop in a function; none: n past the end. */
typedef struct LoopRange {
        size_t first;
        size_t last;
} LoopRange;

static LoopRange loop_range(const json_t *instructions) {
        LoopRange range = { .first = SIZE_MAX };

        for (size_t i = 0; i < json_array_size(instructions); i++)
                if (instruction_in_loop(json_array_get(instructions, i))) {
                        range.first = range.first == SIZE_MAX ? i : range.first;
                        range.last = i;
                }
        return range;
}

/* An instruction between the loop's instructions has no mark, and one of its untimed part a broken mark. */
static const char *loop_mark(const json_t *instruction, size_t i, const LoopRange *range) {
        if (!instruction_in_loop(instruction))
                return " ";
        if (range->first == range->last)
                return "╶";
        if (i == range->first)
                return "┌";
        if (i == range->last)
                return "└";
        return json_flag_at(instruction, "timed") ? "│" : "┊";
}

static int print_instruction(const json_t *instruction, const char *mark, const View *view, FILE *out) {
        _cleanup_(text_stream_clear) TextStream line = {};
        FILE *stream = text_stream_open(&line);

        fprintf(stream, "%s %6llx  ", mark, (unsigned long long)json_number_or(instruction, "address", 0));
        if (view->details)
                fprintf(stream, "%-22s  ", json_text_or(instruction, "bytes", ""));
        instruction_print(instruction, stream);
        return error_trace(line_end(&line, view, instruction_in_loop(instruction) ? GRID_BOLD : GRID_PLAIN, out));
}

static int print_function(const json_t *code, const json_t *function, const View *view, FILE *out) {
        const json_t *instructions = json_at(function, "instructions");
        const char *name = json_text_at(function, "name");
        const LoopRange range = loop_range(instructions);
        Place last = { .source = -1 }, place;
        int r = 0;

        fputc('\n', out);
        grid_print_styled(GRID_BOLD, view->color, name ? name : "(a function without a name)", out);
        fputs(":\n", out);
        for (size_t i = 0; r == 0 && i < json_array_size(instructions); i++) {
                const json_t *instruction = json_array_get(instructions, i);

                if (place_of(instruction, &place) && (place.source != last.source || place.line != last.line)) {
                        last = place;
                        r = print_source_line(code, &place, view, out);
                }
                if (r == 0)
                        r = print_instruction(instruction, loop_mark(instruction, i, &range), view, out);
        }
        return error_trace(r);
}

int report_code(const json_t *code, const View *view, FILE *out) {
        const json_t *functions = json_at(code, "functions");
        int r;

        r = print_head(code, view, out);
        for (size_t i = 0; r == 0 && i < json_array_size(functions); i++)
                r = print_function(code, json_array_get(functions, i), view, out);
        if (r == 0 && json_at(code, "limit"))
                r = report_static_limit(json_at(code, "limit"), view, out);
        if (r)
                return error_trace(r);
        if (json_array_size(json_at(code, "cuts")) > 0)
                fputc('\n', out);
        report_warnings(json_at(code, "cuts"), view, out);
        return 0;
}

/* ---- source */

int report_source(const json_t *source, const View *view, FILE *out) {
        const char *path = json_text_at(source, "path"), *file = json_text_at(source, "file");
        const char *origin = json_text_at(source, "origin");
        double first;

        path = origin && strcmp(origin, "file") == 0 && path ? path : file;
        grid_print_styled(GRID_BOLD, view->color, path ? path : "?", out);
        if (json_number_at(source, "first_line", &first))
                fprintf(out, ":%.0f", first);
        fprintf(out, "%s\n%s\n", origin && strcmp(origin, "module") == 0 ? " (kept in the module)" : "",
                        json_text_or(source, "source", ""));
        report_warnings(json_at(source, "cuts"), view, out);
        return 0;
}

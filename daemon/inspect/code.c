/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "inspect/code.h"

#include <benchd/bench.h>

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/image.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CODE_TABLE_MAX    512u            /* targets of a jump table */
#define CODE_REACH_BACK   16u             /* instructions before a jump or a call that may set its operands */
#define CODE_NEAR_BYTES   UINT64_C(65536) /* maximum distance of a part from the entry of a function without a symbol */
#define CODE_PLACES       65536u          /* of the hash table; a power of two, over twice the instructions */
#define CODE_TABLES_EDGES 4096u

_Static_assert(CODE_PLACES >= 2 * CODE_INSTRUCTIONS_MAX, "the table of addresses never fills up");

/* A function while its branches are followed. */
typedef struct CodeWalk {
        Decoder *decoder;
        const Image *image;
        uint64_t entry;
        DecoderInstruction *instructions; /* in the order of discovery */
        uint32_t n;
        uint64_t *todo; /* addresses to continue at */
        size_t n_todo;
        uint32_t *places; /* CODE_PLACES, by a hash of the address; 0: free, else the place of an instruction and 1 */
        uint64_t (*tables)[2]; /* an indirect jump's address, and one of its targets */
        size_t n_tables;
        bool cut;
} CodeWalk;

/* ---- the instructions of a function */

static uint32_t *walk_place(const CodeWalk *walk, uint64_t address) {
        uint32_t at = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % CODE_PLACES;

        while (walk->places[at] != 0 && walk->instructions[walk->places[at] - 1].address != address)
                at = (at + 1) % CODE_PLACES;
        return &walk->places[at];
}

/*
 * No address is queued twice, so each instruction adds its target, the targets of its table, and its successor at most.
 */
static void walk_later(CodeWalk *walk, uint64_t address) {
        if (*walk_place(walk, address) != 0)
                return;
        if (walk->n_todo < CODE_INSTRUCTIONS_MAX)
                walk->todo[walk->n_todo++] = address;
        else
                walk->cut = true;
}

/* True if another function begins at @address, not a part of this one that the compiler moved away. */
static bool walk_is_elsewhere(const CodeWalk *walk, uint64_t address) {
        const ImageSymbol *symbol = image_symbol(walk->image, address);

        return symbol && symbol->address == address && address != walk->entry && !strstr(symbol->name, ".cold");
}

/* True if the function may continue at @address: within its symbol, or not far from its entry. */
static bool walk_is_near(const CodeWalk *walk, uint64_t address) {
        const ImageSymbol *own = image_symbol(walk->image, walk->entry);
        const ImageSymbol *symbol = image_symbol(walk->image, address);
        const uint8_t *code;

        if (image_code(walk->image, address, &code) == 0)
                return false;
        if (own && symbol)
                return symbol == own || strstr(symbol->name, ".cold");
        return !own && address - walk->entry + CODE_NEAR_BYTES < 2 * CODE_NEAR_BYTES;
}

/* Notes the targets of a table of offsets from its own address, as compilers generate for a switch. */
static void walk_table(CodeWalk *walk, uint64_t jump, uint64_t table) {
        for (uint32_t i = 0; i < CODE_TABLE_MAX && walk->n_tables < CODE_TABLES_EDGES; i++) {
                const void *entry = image_at(walk->image, table + i * sizeof(int32_t), sizeof(int32_t));
                int32_t distance;

                if (!entry)
                        return;
                memcpy(&distance, entry, sizeof distance);
                if (!walk_is_near(walk, table + distance))
                        return;
                walk->tables[walk->n_tables][0] = jump;
                walk->tables[walk->n_tables++][1] = table + distance;
                walk_later(walk, table + distance);
        }
}

/* Finds the load from the table shortly before its jump, and the table's address, which may be loaded long before. */
static void walk_jump_indirect(CodeWalk *walk, const DecoderInstruction *jump) {
        const DecoderInstruction *first = walk->instructions, *read = jump;

        while (read > first && jump - read <= (ptrdiff_t)CODE_REACH_BACK && read->kind != CODE_TABLE)
                read--;
        if (read->kind != CODE_TABLE)
                return;
        for (const DecoderInstruction *before = read; before >= first; before--)
                if (before->kind == CODE_ADDRESS && before->to == read->base) {
                        walk_table(walk, jump->address, before->target);
                        return;
                }
}

/* Functions of the runner that a body calls through `b`, and that do not return. */
static bool is_final_offset(int64_t displacement) {
        return displacement == offsetof(struct bench, fail) || displacement == offsetof(struct bench, skip) ||
               displacement == offsetof(struct bench, threw) || displacement == offsetof(struct bench, refuse) ||
               displacement == offsetof(struct bench, misuse);
}

/*
 * True for a call such as b->fail(b, "text"): its first argument is the struct itself, the next one a text. A C++ method at the same
 * offset in its vtable has an object as argument.
 */
static bool walk_is_final(const CodeWalk *walk, const DecoderInstruction *call) {
        bool has_text = false, has_struct = call->base == X86_REG_RDI;

        if (call->base == CODE_NONE || !is_final_offset(call->displacement))
                return false;
        for (uint32_t i = 2; i <= CODE_REACH_BACK && i <= walk->n; i++) {
                const DecoderInstruction *before = &walk->instructions[walk->n - i];

                has_text |= before->kind == CODE_ADDRESS && before->to == X86_REG_RSI;
                has_struct |= before->kind == CODE_MOVE && before->to == X86_REG_RDI && before->from == call->base;
        }
        return has_text && has_struct;
}

/* Takes one instruction. True if the next one in memory may follow. */
static bool walk_take(CodeWalk *walk, DecoderInstruction *instruction) {
        switch ((DecoderKind)instruction->kind) {
        case CODE_STOP:
                return false;
        case CODE_JUMP:
                instruction->leaves = instruction->name || walk_is_elsewhere(walk, instruction->target);
                if (!instruction->leaves)
                        walk_later(walk, instruction->target);
                return false;
        case CODE_JUMP_INDIRECT:
                instruction->leaves = instruction->name != NULL;
                if (!instruction->leaves)
                        walk_jump_indirect(walk, instruction);
                return false;
        case CODE_BRANCH:
                instruction->leaves = instruction->name || walk_is_elsewhere(walk, instruction->target);
                if (!instruction->leaves)
                        walk_later(walk, instruction->target);
                return true;
        case CODE_CALL:
        case CODE_CALL_MEMORY:
        case CODE_CALL_REGISTER:
                instruction->stays |= instruction->kind == CODE_CALL_MEMORY && walk_is_final(walk, instruction);
                return !instruction->stays && !walk_is_elsewhere(walk, instruction->address + instruction->n_bytes);
        default:
                return true;
        }
}

/* Follows the code from @address until it ends or was followed before. */
static void walk_straight(CodeWalk *walk, uint64_t address) {
        for (;;) {
                uint32_t *place = walk_place(walk, address);
                DecoderInstruction *instruction;

                if (*place != 0)
                        return;
                if (walk->n == CODE_INSTRUCTIONS_MAX) {
                        walk->cut = true;
                        return;
                }
                instruction = &walk->instructions[walk->n];
                if (!decoder_take(walk->decoder, address, instruction))
                        return;
                *place = ++walk->n;
                address += instruction->n_bytes;
                if (!walk_take(walk, instruction))
                        return;
        }
}

/* ---- the edges between them */

uint32_t code_find(const Code *code, uint64_t address) {
        uint32_t low = 0, high = code->n;

        while (low < high) {
                const uint32_t middle = low + (high - low) / 2;

                if (code->instructions[middle].address < address)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low < code->n && code->instructions[low].address == address ? low : CODE_NONE;
}

static bool goes_on(const DecoderInstruction *instruction) {
        return instruction->kind != CODE_STOP && instruction->kind != CODE_JUMP &&
               instruction->kind != CODE_JUMP_INDIRECT && !instruction->stays;
}

static bool has_target(const DecoderInstruction *instruction) {
        return (instruction->kind == CODE_JUMP || instruction->kind == CODE_BRANCH) && !instruction->leaves;
}

typedef struct CodePair {
        uint32_t from;
        uint32_t to;
} CodePair;

static size_t pair_add(CodePair *pairs, size_t n, uint32_t from, uint32_t to) {
        if (from == CODE_NONE || to == CODE_NONE)
                return n;
        pairs[n] = (CodePair){ from, to };
        return n + 1;
}

/* Sorts @pairs into lists by their first member, or with @reverse by their second. */
static int edges_make(const CodePair *pairs, size_t n_pairs, uint32_t n, bool reverse, CodeEdges *ret_edges) {
        CodeEdges edges = {
                .first = calloc((size_t)n + 2, sizeof *edges.first),
                .to = calloc(n_pairs + 1, sizeof *edges.to),
        };

        if (!edges.first || !edges.to) {
                free(edges.first);
                free(edges.to);
                return error_origin(-ENOMEM);
        }
        for (size_t i = 0; i < n_pairs; i++)
                edges.first[(reverse ? pairs[i].to : pairs[i].from) + 2]++;
        for (uint32_t i = 2; i < n + 2; i++)
                edges.first[i] += edges.first[i - 1];
        for (size_t i = 0; i < n_pairs; i++) {
                const uint32_t from = reverse ? pairs[i].to : pairs[i].from;

                edges.to[edges.first[from + 1]++] = reverse ? pairs[i].from : pairs[i].to;
        }
        *ret_edges = edges;
        return 0;
}

static int code_connect(Code *code, const CodeWalk *walk) {
        _cleanup_(freep) CodePair *pairs = calloc(2 * (size_t)code->n + walk->n_tables + 1, sizeof *pairs);
        size_t n = 0;
        int r;

        if (!pairs)
                return error_origin(-ENOMEM);
        for (uint32_t i = 0; i < code->n; i++) {
                const DecoderInstruction *instruction = &code->instructions[i];

                if (goes_on(instruction))
                        n = pair_add(pairs, n, i, code_find(code, instruction->address + instruction->n_bytes));
                if (has_target(instruction))
                        n = pair_add(pairs, n, i, code_find(code, instruction->target));
        }
        for (size_t i = 0; i < walk->n_tables; i++)
                n = pair_add(pairs, n, code_find(code, walk->tables[i][0]), code_find(code, walk->tables[i][1]));
        r = edges_make(pairs, n, code->n, false, &code->after);
        if (r == 0)
                r = edges_make(pairs, n, code->n, true, &code->before);
        return error_trace(r);
}

static int compare_addresses(const void *a, const void *b) {
        const DecoderInstruction *x = a, *y = b;

        return (x->address > y->address) - (x->address < y->address);
}

/* ---- life */

static void walk_clear(CodeWalk *walk) {
        free(walk->instructions);
        free(walk->todo);
        free(walk->places);
        free(walk->tables);
}

/* Only the table of addresses needs zeroing. */
static int walk_begin(Decoder *decoder, uint64_t entry, CodeWalk *walk) {
        *walk = (CodeWalk){
                .decoder = decoder,
                .image = decoder_image(decoder),
                .entry = entry,
                .instructions = malloc(CODE_INSTRUCTIONS_MAX * sizeof *walk->instructions),
                .todo = malloc(CODE_INSTRUCTIONS_MAX * sizeof *walk->todo),
                .places = calloc(CODE_PLACES, sizeof *walk->places),
                .tables = malloc(CODE_TABLES_EDGES * sizeof *walk->tables),
        };
        if (!walk->instructions || !walk->todo || !walk->places || !walk->tables)
                return error_origin(-ENOMEM);
        walk_later(walk, entry);
        return 0;
}

int code_new(Decoder *decoder, uint64_t entry, Code **ret_code) {
        _cleanup_(code_freep) Code *code = calloc(1, sizeof *code);
        _cleanup_(walk_clear) CodeWalk walk = {};
        int r;

        if (!code)
                return error_origin(-ENOMEM);
        r = walk_begin(decoder, entry, &walk);
        if (r)
                return error_trace(r);
        while (walk.n_todo > 0)
                walk_straight(&walk, walk.todo[--walk.n_todo]);
        code->entry = entry;
        code->cut = walk.cut;
        code->instructions = calloc(walk.n + 1, sizeof *code->instructions);
        if (!code->instructions)
                return error_origin(-ENOMEM);
        memcpy(code->instructions, walk.instructions, walk.n * sizeof *code->instructions);
        code->n = walk.n;
        qsort(code->instructions, code->n, sizeof *code->instructions, compare_addresses);
        r = code_connect(code, &walk);
        if (r)
                return error_trace(r);
        *ret_code = take_pointer(code);
        return 0;
}

Code *code_free(Code *code) {
        if (!code)
                return NULL;
        free(code->instructions);
        free(code->after.first);
        free(code->after.to);
        free(code->before.first);
        free(code->before.to);
        free(code);
        return NULL;
}

uint64_t code_callee(const DecoderInstruction *instruction) {
        if (instruction->name)
                return 0;
        return instruction->kind == CODE_CALL || instruction->leaves ? instruction->target : 0;
}

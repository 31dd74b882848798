/* SPDX-License-Identifier: GPL-3.0-or-later */
#define BENCH_NO_MODULE
#include "inspect/code.h"

#include <benchd/bench.h>

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/image.h"
#include "util/cleanup.h"
#include "util/error.h"

#define CODE_TABLE_MAX    512u            /* targets of a jump table */
#define CODE_REACH_BACK   16u             /* instructions before a jump or a call among which its operands are set */
#define CODE_NEAR_BYTES   UINT64_C(65536) /* from the entry of a function without a symbol to its parts */
#define CODE_PLACES       65536u          /* of the hash table; a power of two, over twice the instructions */
#define CODE_TABLES_EDGES 4096u

_Static_assert(CODE_PLACES >= 2 * CODE_INSTRUCTIONS_MAX, "the table of addresses never fills up");

/* A function while its branches are followed; its memory is the decoder's, and used again for the next one. */
typedef struct CodeWalk {
        Decoder *decoder;
        uint64_t entry;
        CodeInstruction *instructions; /* as they are met */
        uint32_t n;
        uint64_t *todo; /* addresses at which to go on */
        size_t n_todo;
        uint32_t *places; /* CODE_PLACES, by a hash of the address; 0: free, else the place of an instruction and 1 */
        uint64_t (*tables)[2]; /* an indirect jump's address, and one of its targets */
        size_t n_tables;
        bool cut;
} CodeWalk;

struct Decoder {
        const Image *image;
        csh handle;
        cs_insn *scratch;
        CodeWalk walk;
};

DEFINE_CLEANUP(Decoder *, decoder_free)
DEFINE_CLEANUP(Code *, code_free)

/* ---- an instruction */

/* The name of the import that the stub at @address jumps to (a PLT's entry); NULL where it is no such stub. */
static const char *stub_import(const Image *image, uint64_t address) {
        static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };
        const uint8_t *code;
        size_t n, at = 0;
        int32_t distance;

        n = image_code(image, address, &code);
        if (n >= sizeof landing && memcmp(code, landing, sizeof landing) == 0)
                at = sizeof landing;
        if (n > at && code[at] == 0xf2) /* bnd */
                at++;
        if (n < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
                return NULL;
        memcpy(&distance, code + at + 2, sizeof distance);
        return image_import(image, address + at + 6 + distance);
}

/* eax and rax are one register here. */
static uint32_t widest(x86_reg reg) {
        static const x86_reg pairs[][2] = {
                { X86_REG_EAX, X86_REG_RAX },
                { X86_REG_EBX, X86_REG_RBX },
                { X86_REG_ECX, X86_REG_RCX },
                { X86_REG_EDX, X86_REG_RDX },
                { X86_REG_ESI, X86_REG_RSI },
                { X86_REG_EDI, X86_REG_RDI },
                { X86_REG_EBP, X86_REG_RBP },
                { X86_REG_ESP, X86_REG_RSP },
        };

        for (size_t i = 0; i < N_ELEMENTS(pairs); i++)
                if (pairs[i][0] == reg)
                        return pairs[i][1];
        return reg == X86_REG_INVALID ? CODE_NONE : (uint32_t)reg;
}

static uint64_t relative_address(const cs_insn *decoded, const cs_x86_op *operand) {
        return decoded->address + decoded->size + operand->mem.disp;
}

/* Notes the memory that @operand names: a register's with a distance, or the pointer to an import. */
static void note_memory(const Image *image, const cs_insn *decoded, const cs_x86_op *operand,
                CodeInstruction *instruction) {
        if (operand->mem.base == X86_REG_RIP)
                instruction->name = image_import(image, relative_address(decoded, operand));
        else if (operand->mem.segment == X86_REG_INVALID &&
                        (operand->mem.index == X86_REG_INVALID) == (instruction->kind != CODE_TABLE))
                instruction->base = widest(operand->mem.base);
        instruction->displacement = operand->mem.disp;
}

static CodeKind kind_of_move(const cs_x86_op *operands) {
        if (operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG)
                return CODE_MOVE;
        if (operands[0].type == X86_OP_REG && operands[1].type == X86_OP_MEM)
                return CODE_LOAD;
        if (operands[0].type == X86_OP_MEM && operands[1].type == X86_OP_IMM)
                return operands[1].imm == 0 ? CODE_STORE_ZERO : CODE_STORE;
        return operands[0].type == X86_OP_MEM ? CODE_STORE : CODE_OTHER;
}

/* True of what compares its first operand with itself, 0 or 1, in registers. */
static bool is_test(const cs_insn *decoded, const cs_x86_op *operands) {
        if (operands[0].type != X86_OP_REG)
                return false;
        if (decoded->id == X86_INS_TEST)
                return operands[1].type == X86_OP_REG && operands[0].reg == operands[1].reg;
        return decoded->id == X86_INS_CMP && operands[1].type == X86_OP_IMM &&
               (operands[1].imm == 0 || operands[1].imm == 1);
}

static bool is_count_down(const cs_insn *decoded, const cs_x86_op *operands) {
        switch (decoded->id) {
        case X86_INS_DEC:
                return operands[0].type == X86_OP_REG;
        case X86_INS_SUB:
                return operands[0].type == X86_OP_REG && operands[1].type == X86_OP_IMM && operands[1].imm == 1;
        case X86_INS_ADD:
                return operands[0].type == X86_OP_REG && operands[1].type == X86_OP_IMM && operands[1].imm == -1;
        case X86_INS_LEA:
                return operands[1].mem.base != X86_REG_RIP && operands[1].mem.index == X86_REG_INVALID &&
                       operands[1].mem.disp == -1;
        default:
                return false;
        }
}

static CodeKind kind_of_call(const cs_x86_op *operand) {
        return operand->type == X86_OP_IMM   ? CODE_CALL
               : operand->type == X86_OP_MEM ? CODE_CALL_MEMORY
                                             : CODE_CALL_REGISTER;
}

static CodeKind kind_of(const cs_insn *decoded) {
        const cs_x86_op *operands = decoded->detail->x86.operands;

        switch (decoded->id) {
        case X86_INS_NOP:
        case X86_INS_ENDBR64:
                return CODE_PADDING;
        case X86_INS_MOV:
        case X86_INS_MOVABS:
                return kind_of_move(operands);
        case X86_INS_MOVSXD:
                return operands[1].type == X86_OP_MEM && operands[1].mem.scale == 4 ? CODE_TABLE : CODE_OTHER;
        case X86_INS_RDTSC:
                return CODE_CLOCK;
        case X86_INS_CALL:
                return kind_of_call(&operands[0]);
        case X86_INS_JMP:
                return operands[0].type == X86_OP_IMM ? CODE_JUMP : CODE_JUMP_INDIRECT;
        case X86_INS_RET:
        case X86_INS_RETF:
        case X86_INS_UD2:
        case X86_INS_HLT:
        case X86_INS_INT3:
                return CODE_STOP;
        default:
                break;
        }
        for (uint8_t i = 0; i < decoded->detail->groups_count; i++)
                if (decoded->detail->groups[i] == X86_GRP_JUMP)
                        return operands[0].type == X86_OP_IMM ? CODE_BRANCH : CODE_OTHER;
        if (is_count_down(decoded, operands))
                return CODE_COUNT_DOWN;
        if (is_test(decoded, operands))
                return CODE_TEST;
        return decoded->id == X86_INS_LEA && operands[1].mem.base == X86_REG_RIP ? CODE_ADDRESS : CODE_OTHER;
}

/* Functions of the runner that a body calls through `b`, and that do not return. */
static bool is_final_offset(int64_t displacement) {
        return displacement == offsetof(struct bench, fail) || displacement == offsetof(struct bench, skip) ||
               displacement == offsetof(struct bench, threw) || displacement == offsetof(struct bench, refuse) ||
               displacement == offsetof(struct bench, misuse);
}

static bool is_final_name(const char *name) {
        static const char *const names[] = { "__stack_chk_fail", "abort", "exit", "_exit", "_Exit", "quick_exit",
                "__assert_fail", "__assert_perror_fail", "__cxa_throw", "__cxa_rethrow", "__cxa_bad_cast",
                "__cxa_throw_bad_array_new_length", "_Unwind_Resume", "_ZSt9terminatev", "longjmp", "siglongjmp",
                "_longjmp", "__longjmp_chk", "__chk_fail", "__fortify_fail", "pthread_exit", "err", "errx", "verr",
                "verrx" };

        for (size_t i = 0; i < N_ELEMENTS(names); i++)
                if (strcmp(names[i], name) == 0)
                        return true;
        return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_");
}

static void instruction_fill(const Image *image, const cs_insn *decoded, CodeInstruction *ret_instruction) {
        const cs_x86 *x86 = &decoded->detail->x86;
        CodeInstruction instruction = {
                .address = decoded->address,
                .n_bytes = decoded->size,
                .to = x86->op_count > 0 && x86->operands[0].type == X86_OP_REG ? widest(x86->operands[0].reg)
                                                                               : CODE_NONE,
                .from = CODE_NONE,
                .base = CODE_NONE,
        };

        instruction.kind = kind_of(decoded);
        if (instruction.kind == CODE_MOVE)
                instruction.from = widest(x86->operands[1].reg);
        if (instruction.kind == CODE_STORE && x86->operands[1].type == X86_OP_REG)
                instruction.from = widest(x86->operands[1].reg);
        for (uint8_t i = 0; i < x86->op_count; i++)
                if (x86->operands[i].type == X86_OP_MEM)
                        note_memory(image, decoded, &x86->operands[i], &instruction);
        if (instruction.kind == CODE_ADDRESS)
                instruction.target = relative_address(decoded, &x86->operands[1]);
        if (instruction.kind == CODE_CALL || instruction.kind == CODE_JUMP || instruction.kind == CODE_BRANCH) {
                instruction.target = x86->operands[0].imm;
                instruction.name = stub_import(image, instruction.target);
                if (instruction.name && image_find_export(image, instruction.name, &instruction.target))
                        instruction.name = NULL; /* a function of the module's own, which others might replace */
        }
        instruction.stays = instruction.name && instruction.kind >= CODE_CALL && is_final_name(instruction.name);
        *ret_instruction = instruction;
}

static bool decoder_decode(Decoder *decoder, uint64_t address) {
        const uint8_t *code;
        size_t n;

        n = image_code(decoder->image, address, &code);
        return n > 0 && cs_disasm_iter(decoder->handle, &code, &n, &address, decoder->scratch);
}

void decoder_describe(Decoder *decoder, const CodeInstruction *instruction, InspectionInstruction *ret_described) {
        const uint8_t *code;
        size_t n;

        ret_described->address = instruction->address;
        n = image_code(decoder->image, instruction->address, &code);
        if (!decoder_decode(decoder, instruction->address) || n < instruction->n_bytes)
                return;
        ret_described->n_bytes =
                        instruction->n_bytes < INSPECTION_CODE_MAX ? instruction->n_bytes : INSPECTION_CODE_MAX;
        memcpy(ret_described->bytes, code, ret_described->n_bytes);
        snprintf(ret_described->words, sizeof ret_described->words, "%.31s%s%.62s", decoder->scratch->mnemonic,
                        decoder->scratch->op_str[0] ? " " : "", decoder->scratch->op_str);
}

/* ---- the instructions of a function */

static uint32_t *walk_place(const CodeWalk *walk, uint64_t address) {
        uint32_t at = (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % CODE_PLACES;

        while (walk->places[at] != 0 && walk->instructions[walk->places[at] - 1].address != address)
                at = (at + 1) % CODE_PLACES;
        return &walk->places[at];
}

/* Nothing is kept twice, so each instruction adds its target, those of its table, and at most its successor. */
static void walk_later(CodeWalk *walk, uint64_t address) {
        if (*walk_place(walk, address) != 0)
                return;
        if (walk->n_todo < CODE_INSTRUCTIONS_MAX)
                walk->todo[walk->n_todo++] = address;
        else
                walk->cut = true;
}

/* True where another function begins at @address: not a part of this one that the compiler moved away. */
static bool walk_is_elsewhere(const CodeWalk *walk, uint64_t address) {
        const ImageSymbol *symbol = image_symbol(walk->decoder->image, address);

        return symbol && symbol->address == address && address != walk->entry && !strstr(symbol->name, ".cold");
}

/* True where the function may go on at @address: within its symbol, or not far from its entry. */
static bool walk_is_near(const CodeWalk *walk, uint64_t address) {
        const ImageSymbol *own = image_symbol(walk->decoder->image, walk->entry);
        const ImageSymbol *symbol = image_symbol(walk->decoder->image, address);
        const uint8_t *code;

        if (image_code(walk->decoder->image, address, &code) == 0)
                return false;
        if (own && symbol)
                return symbol == own || strstr(symbol->name, ".cold");
        return !own && address - walk->entry + CODE_NEAR_BYTES < 2 * CODE_NEAR_BYTES;
}

/* Notes the targets of a table of distances from its own address, as compilers make of a switch. */
static void walk_table(CodeWalk *walk, uint64_t jump, uint64_t table) {
        for (uint32_t i = 0; i < CODE_TABLE_MAX && walk->n_tables < CODE_TABLES_EDGES; i++) {
                const void *entry = image_at(walk->decoder->image, table + i * sizeof(int32_t), sizeof(int32_t));
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

/* Finds the read of the table shortly before its jump, and the table's address, which may have been taken long before. */
static void walk_jump_indirect(CodeWalk *walk, const CodeInstruction *jump) {
        const CodeInstruction *first = walk->instructions, *read = jump;

        while (read > first && jump - read <= (ptrdiff_t)CODE_REACH_BACK && read->kind != CODE_TABLE)
                read--;
        if (read->kind != CODE_TABLE)
                return;
        for (const CodeInstruction *before = read; before >= first; before--)
                if (before->kind == CODE_ADDRESS && before->to == read->base) {
                        walk_table(walk, jump->address, before->target);
                        return;
                }
}

/*
 * True of a call such as b->fail(b, "text"): the struct is its own argument, and the next one a text. A method of C++ at the same distance
 * in its class's table has an object as argument.
 */
static bool walk_is_final(const CodeWalk *walk, const CodeInstruction *call) {
        bool has_text = false, has_struct = call->base == X86_REG_RDI;

        if (call->base == CODE_NONE || !is_final_offset(call->displacement))
                return false;
        for (uint32_t i = 2; i <= CODE_REACH_BACK && i <= walk->n; i++) {
                const CodeInstruction *before = &walk->instructions[walk->n - i];

                has_text |= before->kind == CODE_ADDRESS && before->to == X86_REG_RSI;
                has_struct |= before->kind == CODE_MOVE && before->to == X86_REG_RDI && before->from == call->base;
        }
        return has_text && has_struct;
}

/* Takes one instruction. True where the next in memory may follow. */
static bool walk_take(CodeWalk *walk, CodeInstruction *instruction) {
        switch ((CodeKind)instruction->kind) {
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

/* Follows the code from @address on, to where it ends or was followed before. */
static void walk_straight(CodeWalk *walk, uint64_t address) {
        for (;;) {
                uint32_t *place = walk_place(walk, address);
                CodeInstruction *instruction;

                if (*place != 0)
                        return;
                if (walk->n == CODE_INSTRUCTIONS_MAX) {
                        walk->cut = true;
                        return;
                }
                if (!decoder_decode(walk->decoder, address))
                        return;
                instruction = &walk->instructions[walk->n++];
                instruction_fill(walk->decoder->image, walk->decoder->scratch, instruction);
                *place = walk->n;
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

static bool goes_on(const CodeInstruction *instruction) {
        return instruction->kind != CODE_STOP && instruction->kind != CODE_JUMP &&
               instruction->kind != CODE_JUMP_INDIRECT && !instruction->stays;
}

static bool has_target(const CodeInstruction *instruction) {
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
                const CodeInstruction *instruction = &code->instructions[i];

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
        const CodeInstruction *x = a, *y = b;

        return (x->address > y->address) - (x->address < y->address);
}

/* ---- life */

static void walk_begin(Decoder *decoder, uint64_t entry) {
        CodeWalk *walk = &decoder->walk;

        memset(walk->places, 0, CODE_PLACES * sizeof *walk->places);
        walk->entry = entry;
        walk->n = 0;
        walk->n_todo = walk->n_tables = 0;
        walk->cut = false;
        walk_later(walk, entry);
}

int code_new(Decoder *decoder, uint64_t entry, Code **ret_code) {
        _cleanup_(code_freep) Code *code = calloc(1, sizeof *code);
        CodeWalk *walk = &decoder->walk;
        int r;

        if (!code)
                return error_origin(-ENOMEM);
        walk_begin(decoder, entry);
        while (walk->n_todo > 0)
                walk_straight(walk, walk->todo[--walk->n_todo]);
        code->entry = entry;
        code->cut = walk->cut;
        code->instructions = calloc(walk->n + 1, sizeof *code->instructions);
        if (!code->instructions)
                return error_origin(-ENOMEM);
        memcpy(code->instructions, walk->instructions, walk->n * sizeof *code->instructions);
        code->n = walk->n;
        qsort(code->instructions, code->n, sizeof *code->instructions, compare_addresses);
        r = code_connect(code, walk);
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

uint64_t code_callee(const CodeInstruction *instruction) {
        if (instruction->name)
                return 0;
        return instruction->kind == CODE_CALL || instruction->leaves ? instruction->target : 0;
}

int decoder_new(const Image *image, Decoder **ret_decoder) {
        _cleanup_(decoder_freep) Decoder *decoder = calloc(1, sizeof *decoder);

        if (!decoder)
                return error_origin(-ENOMEM);
        decoder->image = image;
        decoder->walk = (CodeWalk){
                .decoder = decoder,
                .instructions = calloc(CODE_INSTRUCTIONS_MAX, sizeof *decoder->walk.instructions),
                .todo = calloc(CODE_INSTRUCTIONS_MAX, sizeof *decoder->walk.todo),
                .places = calloc(CODE_PLACES, sizeof *decoder->walk.places),
                .tables = calloc(CODE_TABLES_EDGES, sizeof *decoder->walk.tables),
        };
        if (!decoder->walk.instructions || !decoder->walk.todo || !decoder->walk.places || !decoder->walk.tables)
                return error_origin(-ENOMEM);
        if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK)
                return error_origin(-ENOMEM);
        cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
        decoder->scratch = cs_malloc(decoder->handle);
        if (!decoder->scratch)
                return error_origin(-ENOMEM);
        *ret_decoder = take_pointer(decoder);
        return 0;
}

Decoder *decoder_free(Decoder *decoder) {
        if (!decoder)
                return NULL;
        if (decoder->scratch)
                cs_free(decoder->scratch, 1);
        if (decoder->handle)
                cs_close(&decoder->handle);
        free(decoder->walk.instructions);
        free(decoder->walk.todo);
        free(decoder->walk.places);
        free(decoder->walk.tables);
        free(decoder);
        return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/decoder.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/image.h"
#include "ops/inspection-block.h"
#include "util/cleanup.h"
#include "util/error.h"

struct Decoder {
        const Image *image;
        csh handle;
        cs_insn *scratch;
};

/* ---- the meaning of an instruction */

/* The name of the import that the stub at @address (a PLT entry) jumps to; NULL if it is not such a stub. */
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

/* eax and rax count as one register. */
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

/* Notes the memory that @operand names: a register with a displacement, or the pointer to an import. */
static void note_memory(const Image *image, const cs_insn *decoded, const cs_x86_op *operand,
                DecoderInstruction *instruction) {
        if (operand->mem.base == X86_REG_RIP)
                instruction->name = image_import(image, relative_address(decoded, operand));
        else if (operand->mem.segment == X86_REG_INVALID &&
                        (operand->mem.index == X86_REG_INVALID) == (instruction->kind != CODE_TABLE))
                instruction->base = widest(operand->mem.base);
        instruction->displacement = operand->mem.disp;
}

static DecoderKind kind_of_move(const cs_x86_op *operands) {
        if (operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG)
                return CODE_MOVE;
        if (operands[0].type == X86_OP_REG && operands[1].type == X86_OP_MEM)
                return CODE_LOAD;
        if (operands[0].type == X86_OP_REG && operands[1].type == X86_OP_IMM)
                return CODE_CONSTANT;
        if (operands[0].type == X86_OP_MEM && operands[1].type == X86_OP_IMM)
                return operands[1].imm == 0 ? CODE_STORE_ZERO : CODE_STORE;
        return operands[0].type == X86_OP_MEM ? CODE_STORE : CODE_OTHER;
}

/* True for a comparison of a register with itself, 0 or 1. */
static bool is_test(const cs_insn *decoded, const cs_x86_op *operands) {
        if (operands[0].type != X86_OP_REG)
                return false;
        if (decoded->id == X86_INS_TEST)
                return operands[1].type == X86_OP_REG && operands[0].reg == operands[1].reg;
        return decoded->id == X86_INS_CMP && operands[1].type == X86_OP_IMM &&
               (operands[1].imm == 0 || operands[1].imm == 1);
}

static bool is_compare(const cs_insn *decoded, const cs_x86_op *operands) {
        return (decoded->id == X86_INS_CMP || decoded->id == X86_INS_TEST) && operands[0].type == X86_OP_REG &&
               operands[1].type != X86_OP_MEM;
}

static bool is_zeroing(const cs_insn *decoded, const cs_x86_op *operands) {
        return decoded->id == X86_INS_XOR && operands[0].type == X86_OP_REG && operands[1].type == X86_OP_REG &&
               operands[0].reg == operands[1].reg;
}

/* True for adding a constant to a register, which includes is_count_down(). */
static bool is_count(const cs_insn *decoded, const cs_x86_op *operands) {
        switch (decoded->id) {
        case X86_INS_INC:
        case X86_INS_DEC:
                return operands[0].type == X86_OP_REG;
        case X86_INS_ADD:
        case X86_INS_SUB:
                return operands[0].type == X86_OP_REG && operands[1].type == X86_OP_IMM;
        case X86_INS_LEA:
                return operands[1].mem.base != X86_REG_RIP && operands[1].mem.base != X86_REG_INVALID &&
                       operands[1].mem.index == X86_REG_INVALID;
        default:
                return false;
        }
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

static DecoderKind kind_of_call(const cs_x86_op *operand) {
        return operand->type == X86_OP_IMM   ? CODE_CALL
               : operand->type == X86_OP_MEM ? CODE_CALL_MEMORY
                                             : CODE_CALL_REGISTER;
}

static DecoderKind kind_of(const cs_insn *decoded) {
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
        if (is_count(decoded, operands))
                return CODE_COUNT;
        if (is_test(decoded, operands))
                return CODE_TEST;
        if (is_compare(decoded, operands))
                return CODE_COMPARE;
        if (is_zeroing(decoded, operands))
                return CODE_CONSTANT;
        return decoded->id == X86_INS_LEA && operands[1].mem.base == X86_REG_RIP ? CODE_ADDRESS : CODE_OTHER;
}

/* Functions of libraries that do not return. */
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

static void instruction_fill(const Image *image, const cs_insn *decoded, DecoderInstruction *ret_instruction) {
        const cs_x86 *x86 = &decoded->detail->x86;
        DecoderInstruction instruction = {
                .address = decoded->address,
                .n_bytes = decoded->size,
                .to = x86->op_count > 0 && x86->operands[0].type == X86_OP_REG ? widest(x86->operands[0].reg)
                                                                               : CODE_NONE,
                .from = CODE_NONE,
                .base = CODE_NONE,
        };

        instruction.kind = kind_of(decoded);
        if (instruction.kind == CODE_COMPARE)
                instruction.to = CODE_NONE;
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
                        instruction.name = NULL; /* the module's own, exported so that others might replace it */
        }
        instruction.stays = instruction.name && instruction.kind >= CODE_CALL && is_final_name(instruction.name);
        *ret_instruction = instruction;
}

/* ---- one at an address */

static bool decoder_decode(Decoder *decoder, uint64_t address) {
        const uint8_t *code;
        size_t n;

        n = image_code(decoder->image, address, &code);
        return n > 0 && cs_disasm_iter(decoder->handle, &code, &n, &address, decoder->scratch);
}

bool decoder_take(Decoder *decoder, uint64_t address, DecoderInstruction *ret_instruction) {
        if (!decoder_decode(decoder, address))
                return false;
        instruction_fill(decoder->image, decoder->scratch, ret_instruction);
        return true;
}

void decoder_describe(Decoder *decoder, const DecoderInstruction *instruction, InspectionInstruction *ret_described) {
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

/* ---- life */

const Image *decoder_image(const Decoder *decoder) {
        return decoder->image;
}

int decoder_new(const Image *image, Decoder **ret_decoder) {
        _cleanup_(decoder_freep) Decoder *decoder = calloc(1, sizeof *decoder);

        if (!decoder)
                return error_origin(-ENOMEM);
        decoder->image = image;
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
        free(decoder);
        return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machine code of a function: its instructions, found by following its branches from the entry, and where each may go next. So
 * data between functions is never taken for code, and a module needs no symbols. A call goes on behind it, unless it is known not to
 * return; a jump to the beginning of another function leaves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/inspection-block.h"

typedef struct Code Code;
typedef struct Decoder Decoder;
typedef struct Image Image;

#define CODE_INSTRUCTIONS_MAX 16384u
#define CODE_NONE             UINT32_MAX /* no register, no instruction */

/* The part of an instruction's meaning that a reader of loops needs. */
typedef enum CodeKind {
        CODE_OTHER,
        CODE_PADDING,    /* does nothing */
        CODE_MOVE,       /* copies register `from` to `to` */
        CODE_LOAD,       /* writes `to` from memory at base + displacement */
        CODE_STORE,      /* writes memory at base + displacement, from register `from` unless that is CODE_NONE */
        CODE_STORE_ZERO, /* ... the number 0 */
        CODE_ADDRESS,    /* writes `to` with the address `target` */
        CODE_TABLE,      /* writes `to` from memory at base + 4 * another register */
        CODE_COUNT_DOWN, /* takes 1 off `to` */
        CODE_TEST,       /* compares a register with itself, 0 or 1 */
        CODE_CLOCK,      /* reads the time-stamp counter */
        CODE_BRANCH,     /* conditional */
        CODE_JUMP,
        CODE_JUMP_INDIRECT,
        CODE_CALL,
        CODE_CALL_MEMORY,   /* through the pointer at base + displacement */
        CODE_CALL_REGISTER, /* through `to` */
        CODE_STOP,          /* returns or traps */
} CodeKind;

typedef struct CodeInstruction {
        uint64_t address;
        uint64_t target;  /* of a direct branch or call, or an address that is taken; 0: none */
        const char *name; /* of an import that is called, jumped to or named by a pointer to it; else NULL */
        int64_t displacement;
        uint32_t kind; /* CodeKind */
        uint32_t to;   /* register, widest form; CODE_NONE */
        uint32_t from; /* register; CODE_NONE */
        uint32_t base; /* register; CODE_NONE where the address has an index or is absolute */
        uint16_t n_bytes;
        bool leaves; /* this jump ends the function, as a call does whose caller it then was */
        bool stays;  /* this call does not return */
} CodeInstruction;

/* The instructions that each may be followed by: those at places to[first[i]] up to to[first[i + 1]]. */
typedef struct CodeEdges {
        uint32_t *first;
        uint32_t *to;
} CodeEdges;

struct Code {
        uint64_t entry;
        CodeInstruction *instructions; /* by address */
        uint32_t n;
        CodeEdges after;
        CodeEdges before;
        bool cut; /* there was more than CODE_INSTRUCTIONS_MAX */
};

/* Opens the decoder for @image, which is to live as long. Returns 0 or a negative errno. */
int decoder_new(const Image *image, Decoder **ret_decoder);
Decoder *decoder_free(Decoder *decoder);

/* The code of the function at @entry; without an instruction where there is none. Returns 0 or a negative errno. */
int code_new(Decoder *decoder, uint64_t entry, Code **ret_code);
Code *code_free(Code *code);

/* The place of the instruction at @address; CODE_NONE where none begins there. */
uint32_t code_find(const Code *code, uint64_t address);

/* The module's own function that @instruction calls, or jumps to for good; 0: none. */
uint64_t code_callee(const CodeInstruction *instruction);

/* Writes the text of @instruction in Intel syntax, and its bytes. */
void decoder_describe(Decoder *decoder, const CodeInstruction *instruction, InspectionInstruction *ret_described);

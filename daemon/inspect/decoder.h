/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Decodes the instructions of a file, one at a time: the part of the meaning that finding loops needs, from capstone, and the name of the
 * called import.
 */

#include <stdbool.h>
#include <stdint.h>

#include "util/cleanup.h"

typedef struct Decoder Decoder;
typedef struct Image Image;
typedef struct InspectionInstruction InspectionInstruction;

#define CODE_NONE UINT32_MAX /* no register, no instruction */

typedef enum DecoderKind {
        CODE_OTHER,
        CODE_PADDING,    /* does nothing */
        CODE_MOVE,       /* copies register `from` to `to` */
        CODE_LOAD,       /* writes `to` from memory at base + displacement */
        CODE_STORE,      /* writes memory at base + displacement, from register `from` unless that is CODE_NONE */
        CODE_STORE_ZERO, /* ... the number 0 */
        CODE_ADDRESS,    /* writes `to` with the address `target` */
        CODE_TABLE,      /* writes `to` from memory at base + 4 * another register */
        CODE_CONSTANT,   /* writes `to` with a constant */
        CODE_COUNT_DOWN, /* subtracts 1 from `to` */
        CODE_COUNT,      /* adds another constant to a register, or subtracts one */
        CODE_TEST,       /* compares a register with itself, 0 or 1 */
        CODE_COMPARE,    /* compares a register with another, or with another number; `to` is CODE_NONE */
        CODE_CLOCK,      /* reads the time-stamp counter */
        CODE_BRANCH,     /* conditional */
        CODE_JUMP,
        CODE_JUMP_INDIRECT,
        CODE_CALL,
        CODE_CALL_MEMORY,   /* through the pointer at base + displacement */
        CODE_CALL_REGISTER, /* through `to` */
        CODE_STOP,          /* returns or traps */
} DecoderKind;

typedef struct DecoderInstruction {
        uint64_t address;
        uint64_t target;  /* of a direct branch or call, or a loaded address; 0: none */
        const char *name; /* of an import that is called, jumped to, or reached through a pointer; else NULL */
        int64_t displacement;
        uint32_t kind; /* DecoderKind */
        uint32_t to;   /* register, widest form; else CODE_NONE */
        uint32_t from; /* register; CODE_NONE */
        uint32_t base; /* register; CODE_NONE if the address has an index or is absolute */
        uint16_t n_bytes;
        bool leaves; /* this jump leaves the function: a tail call */
        bool stays;  /* this call does not return */
} DecoderInstruction;

/* Opens the decoder for @image, which must outlive it. Returns 0 or a negative errno. */
int decoder_new(const Image *image, Decoder **ret_decoder);
Decoder *decoder_free(Decoder *decoder);
DEFINE_CLEANUP(Decoder *, decoder_free)

const Image *decoder_image(const Decoder *decoder);

/* Reads the instruction at @address. False if there is none. */
bool decoder_take(Decoder *decoder, uint64_t address, DecoderInstruction *ret_instruction);

/* Writes the text of @instruction in Intel syntax, and its bytes. */
void decoder_describe(Decoder *decoder, const DecoderInstruction *instruction, InspectionInstruction *ret_described);

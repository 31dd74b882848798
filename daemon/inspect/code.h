/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The machine code of a function: its instructions, found by following its branches from the entry, and the possible successors of
 * each. So data between functions is never taken for code, and a module needs no symbols. Code continues after a call, unless the
 * call is known not to return; a jump to the beginning of another function leaves.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inspect/decoder.h"
#include "util/cleanup.h"

typedef struct Code Code;

#define CODE_INSTRUCTIONS_MAX 16384u

/* The successors of instruction i: the places to[first[i]] up to, but not including, to[first[i + 1]]. */
typedef struct CodeEdges {
        uint32_t *first;
        uint32_t *to;
} CodeEdges;

struct Code {
        uint64_t entry;
        DecoderInstruction *instructions; /* by address */
        uint32_t n;
        CodeEdges after;
        CodeEdges before;
        bool cut; /* the function has more than CODE_INSTRUCTIONS_MAX */
};

/*
 * Reads the code of the function at @entry; it has no instructions if there is no code. Returns 0 or a negative errno.
 */
int code_new(Decoder *decoder, uint64_t entry, Code **ret_code);
Code *code_free(Code *code);
DEFINE_CLEANUP(Code *, code_free)

/* The place of the instruction at @address; CODE_NONE if none begins there. */
uint32_t code_find(const Code *code, uint64_t address);

/* The module's own function that @instruction calls or tail-calls; 0: none. */
uint64_t code_callee(const DecoderInstruction *instruction);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The code of one benchmark as it is shown: the function with its loop, the parts of it that lie elsewhere, and the module's own functions
 * that the loop calls; each instruction with its words and its line of the source; and the source, where the module has it.
 */

#include <stdint.h>

#include "ops/inspection-block.h"

typedef struct Code Code;
typedef struct DebugInfo DebugInfo;
typedef struct Decoder Decoder;
typedef struct Descriptor Descriptor;
typedef struct Image Image;

typedef struct DisassemblyInput {
        const Image *image;
        Decoder *decoder;
        DebugInfo *info; /* NULL: there is none */
        const Descriptor *descriptor;
        const Code *code;     /* NULL: its loop was not found */
        const uint8_t *flags; /* of each of its instructions */
} DisassemblyInput;

/* Fills in the part of @block that is of one benchmark. Returns 0 or a negative errno. */
int disassembly_fill(const DisassemblyInput *input, InspectionBlock *block);

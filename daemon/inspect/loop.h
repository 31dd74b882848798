/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The timed loop of a body in its machine code.
 *
 * bench_loop() asks the runner for the next batch with the call b->next(b) when one is used up, and iterates without it otherwise. So
 * the loop is the largest set of instructions that reach each other without this call, among the instructions that can be reached from
 * it and lead back to it. Inner loops of the body are parts of it.
 */

#include <stdint.h>

#include "ops/inspection-block.h"

typedef struct Code Code;
typedef struct Image Image;

enum {
        _LOOP_E_SUCCESS,

        LOOP_E_NONE, /* the function has no timed loop */
};

typedef struct Loop {
        uint8_t *flags; /* of each instruction: INSPECTION_IN_LOOP, INSPECTION_TIMED */
        uint64_t start; /* address */
        uint64_t end;
        uint32_t n; /* instructions between the two */
        InspectionFact empty;
        uint64_t counting; /* address of the jump of an inner loop that only counts; 0: none */
} Loop;

/* Finds the loop in @code, a function of @image; the caller clears it. Returns 0, E_NONE, or a negative errno. */
int loop_find(const Image *image, const Code *code, Loop *ret_loop);
void loop_clear(Loop *loop);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Calls in the timed part of a loop that are mostly mistakes: output, input, files, sleep. They are found by the names of imports,
 * in the loop itself and two calls deep into the module's own functions. Calls through pointers are not found.
 */

#include "ops/inspection-block.h"

typedef struct Code Code;
typedef struct Decoder Decoder;
typedef struct Image Image;
typedef struct Loop Loop;

/* Finds the first call of each kind in @loop of @code. Returns 0 or a negative errno. */
int calls_find(const Image *image, Decoder *decoder, const Code *code, const Loop *loop,
                InspectionCall ret_calls[static _INSPECTION_CALL_N]);

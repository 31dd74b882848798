/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Instruments that took part in a measurement (ops/block.h): their list in a result, and a sentence on each. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/warning.h"
#include "ops/block.h"

/* Builds the list of @present in words, as a repeated field. Returns 0 or a negative errno. */
int instruments_list(uint32_t present, Arena *arena, char ***ret_words, size_t *ret_n);

/* Appends a sentence on each of @present. @preloaded names the library of INSTRUMENT_PRELOADED; else it is empty. */
void instruments_report(uint32_t present, const char *preloaded, Arena *arena, WarningList *warnings);

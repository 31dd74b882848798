/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Warnings of a benchmark or of a comparison's row as a result has them: a sentence with the figures of this one, and its kind, whose note
 * and advice read alike wherever it occurs. A table can so name a kind once, with all its rows.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"
#include "words/warning.h"

/* As the two repeated fields of a message want it: warnings and findings, one of each for the other. */
typedef struct WarningList {
        ArenaList texts;
        Benchd__Finding **findings;
        size_t n_findings;
} WarningList;

/* Appends a sentence of our own, whose arguments are clean, unless the list has it already. */
void warning_add(WarningList *list, Arena *arena, WarningKind kind, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

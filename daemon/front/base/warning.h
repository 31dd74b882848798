/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Warnings of a benchmark or of a comparison's row, as a result carries them: a sentence with the row's figures, and the warning's kind.
 * Note and advice depend on the kind alone, so a table can name a kind once, with all its rows.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"
#include "words/warning.h"

/* In the layout of a message's two repeated fields: each warning has one finding at the same index. */
typedef struct WarningList {
        ArenaList texts;
        Benchd__Finding **findings;
        size_t n_findings;
} WarningList;

/* Appends a trusted sentence, whose arguments must be clean, unless the list contains it already. */
void warning_add(WarningList *list, Arena *arena, WarningKind kind, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

/* Drops the @n texts and findings of a row that say something of code in the runner, as a whole command's row has none. */
void warning_drop_of_code(char **texts, Benchd__Finding **findings, size_t *n);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Warnings of a benchmark or of a comparison's row: a sentence with the figures of this one, and its kind, whose note and advice
 * read alike wherever it occurs. A table can so name a kind once, with all its rows.
 */

#include <stddef.h>

#include "front/base/arena.h"
#include "proto/benchd.pb-c.h"

typedef enum WarningKind {
        WARNING_NO_INTERVAL,
        WARNING_FEW_PROCESSES,
        WARNING_CHANGED_DURING_RUN,
        WARNING_MODES_BETWEEN,
        WARNING_MODES_WITHIN,
        WARNING_CODE_PLACEMENT,
        WARNING_DRIFT,
        WARNING_DEPENDENT_SAMPLES,
        WARNING_RARE_PART,
        WARNING_MEAN_RATIO,
        WARNING_SKEW,
        WARNING_WIDE_INTERVAL,
        WARNING_PRECISION_MISSED,
        WARNING_SHORTENED,
        WARNING_CANCELLED,
        WARNING_UNFIT_STEAL,
        WARNING_UNFIT_OTHER_WORK,
        WARNING_UNFIT_SHARED_CORE,
        WARNING_UNFIT_FEW_QUIET,
        WARNING_UNFIT_PLACE,
        WARNING_UNFIT_HIDDEN,
        WARNING_DETECTOR_OFF,
        WARNING_TRACED,
        WARNING_INSTRUMENTED,
        WARNING_UNWRITTEN_MEMORY,
        WARNING_CHANGED_AFFINITY,
        WARNING_CHANGED_SCHEDULING,
        WARNING_OTHER_THREADS,
        WARNING_ONE_CPU,
        WARNING_STARTED_THREADS,
        WARNING_THREADS_APART,
        WARNING_PRINTS,
        WARNING_WAITS,
        WARNING_MEMORY_FILES,
        WARNING_EMPTY_LOOP,
        WARNING_EMPTY_INNER_LOOP,
        WARNING_CALLS_OUTPUT,
        WARNING_CALLS_INPUT,
        WARNING_CALLS_FILE,
        WARNING_CALLS_SLEEP,
        WARNING_SHORT_BATCH,
        WARNING_LONG_BATCH,
        WARNING_GROWING_BATCH,
        WARNING_COARSE_CLOCK,
        WARNING_DUBIOUS,
        WARNING_OUTPUT_CUT,
        WARNING_NOT_COUNTED,
        WARNING_LEAKS,
        WARNING_METHOD,
        WARNING_CHANCE_AMONG_ROWS,
        WARNING_PLACEMENT_DIFFERS,
        WARNING_UNDECIDABLE,
        WARNING_TOO_FEW_PAIRS,
        _WARNING_KIND_N,
} WarningKind;

/* As the two repeated fields of a message want it: warnings and findings, one of each for the other. */
typedef struct WarningList {
        TextList texts;
        Benchd__Finding **findings;
        size_t n_findings;
} WarningList;

/* Writes the words of @kind, which are never freed, into @finding. */
void warning_describe(WarningKind kind, Benchd__Finding *finding);

/* Appends a sentence of our own, whose arguments are clean, unless the list has it already. */
void warning_add(WarningList *list, Arena *arena, WarningKind kind, const char *format, ...)
                __attribute__((format(printf, 4, 5)));

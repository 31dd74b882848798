/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Kinds of warnings about a benchmark, a comparison's row or a run on several machines, with the words common to each kind: for the
 * daemon's findings, and for benchctl's own on a comparison or a pool. A new kind is a constant of WarningKind and a row in warning.c.
 */

#include <stdbool.h>

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
        WARNING_UNWATCHED,
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
        WARNING_LONG_COUNT,
        WARNING_LONG_METHOD,
        WARNING_LONG_WORK,
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
        WARNING_ACROSS_THE_MARGIN, /* this and the next: of benchctl's comparison with a baseline */
        WARNING_UNLIKE_TIMES,
        WARNING_MACHINE_LOST, /* from here on: of a run on several machines */
        WARNING_MACHINE_REFUSED,
        WARNING_MACHINE_PARTIAL,
        WARNING_MACHINE_UNFIT,
        WARNING_SAME_MACHINE,
        WARNING_ODD_MACHINE,
        WARNING_MISSING_ROW,
        WARNING_NO_CLASS,
        WARNING_CLASSES,
        WARNING_FEW_MACHINES,
        WARNING_BELOW_MIN_MACHINES,
        WARNING_MACHINES_DIFFER,
        WARNING_NO_LOGARITHM,
        WARNING_MACHINES_UNDECIDABLE,
        _WARNING_KIND_N,
} WarningKind;

/* The lists in which a kind occurs: the findings of a row, and the warnings of a run on several machines. */
typedef enum WarningScope {
        WARNING_OF_ROWS,
        WARNING_OF_MACHINES,
        WARNING_OF_BOTH,
} WarningScope;

typedef struct WarningWords {
        const char *kind;
        const char *note;    /* in a table's row; NULL: the row speaks for itself */
        const char *advice;  /* one short line; NULL: it needs the figures of a row */
        const char *meaning; /* a sentence of benchd-json(5) */
        WarningScope scope;
        bool of_code; /* of code in the runner: the row of a whole command has none */
} WarningWords;

const WarningWords *warning_words(WarningKind kind);

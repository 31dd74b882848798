/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Marks of samples: the causes of a disturbance, with their words. The bits are the same in a runner's block, on the wire (Samples.Mark of
 * benchd.proto) and in benchctl's files. A new cause is a bit with its class here, and a row in mark.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
        MARK_INTERRUPTED = 1u << 0,
        MARK_PREEMPTED = 1u << 1,
        MARK_MIGRATED = 1u << 2,
        MARK_FAULTED = 1u << 3,
        MARK_FREQUENCY = 1u << 4,
        MARK_UNATTRIBUTED = 1u << 5,
        MARK_SHARED = 1u << 6, /* another hardware thread used the core, by a probe beside the batch */
        MARK_BESIDE_SHARED =
                        1u << 7, /* ... beside the batch before or after it, or lightly, by the mean of all three */
        MARK_STOLEN = 1u << 8,   /* time passed that the thread was not charged with: the hypervisor's */
};

#define MARKS_N   9u
#define MARKS_ALL ((1u << MARKS_N) - 1)

/* A sample has the class of its worst mark. */
#define MARKS_DISTURBED ((uint32_t)(MARK_PREEMPTED | MARK_MIGRATED | MARK_UNATTRIBUTED | MARK_STOLEN))
#define MARKS_SHARED    ((uint32_t)(MARK_SHARED | MARK_BESIDE_SHARED))

/* From best to worst. */
typedef enum MarkClass {
        MARK_CLASS_QUIET,     /* had the core alone, without preemption */
        MARK_CLASS_SHARED,    /* another hardware thread used the core, or may have */
        MARK_CLASS_DISTURBED, /* lost the core meanwhile */
        _MARK_CLASS_N,
} MarkClass;

static inline MarkClass marks_class(uint32_t marks) {
        if (marks & MARKS_DISTURBED)
                return MARK_CLASS_DISTURBED;
        return marks & MARKS_SHARED ? MARK_CLASS_SHARED : MARK_CLASS_QUIET;
}

typedef struct Mark {
        uint32_t bit;      /* 0: no mark at all */
        const char *word;  /* in JSON and in files; the class of CSS */
        const char *drawn; /* of one sample in a drawing, as an adjective */
        double stroke;     /* the length of its stroke there, in pixels; 0: a dot */
        const char *found; /* how it is detected, a sentence of benchd-methods(7); NULL: see the previous mark */
} Mark;

/* The mark of bit @index; NULL past the last. */
const Mark *mark_at(size_t index);

/*
 * The marks, most important first: a sample is drawn by its first one. The last, at MARKS_N, is for a sample without marks. NULL past it.
 */
const Mark *mark_by_weight(size_t index);

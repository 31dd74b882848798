/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Marks of samples: the bits of a result's `marks` (Samples.Mark of benchd.proto), in words.
 */

#include <stddef.h>
#include <stdint.h>

#define MARKS_MAX 16u

/* From the best. */
typedef enum MarkClass {
        MARK_CLASS_QUIET,     /* had the core alone and at one go */
        MARK_CLASS_SHARED,    /* another hardware thread used the core, or may have */
        MARK_CLASS_DISTURBED, /* lost the core meanwhile */
        _MARK_CLASS_N,
} MarkClass;

typedef struct Mark {
        uint32_t bit;
        const char *word;
        MarkClass class; /* of a sample that has it */
} Mark;

/* NULL past the last. */
const Mark *mark_at(size_t index);

/* The worst class of @marks. */
MarkClass marks_class(uint32_t marks);

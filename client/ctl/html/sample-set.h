/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The samples of a benchmark as a drawing needs them: one after the other, each with its process, its place in time and the cause that
 * says most about it. Read from processes[].samples, which a result has only where they were asked for.
 */

#include <stddef.h>
#include <stdint.h>

#include "ctl/marks.h"

typedef struct json_t json_t;

typedef struct SampleCause {
        uint32_t bit;     /* of marks; 0: none is set */
        const char *word; /* of one sample, as an adjective */
        const char *class;
        double length; /* of its stroke in pixels; 0: a dot */
} SampleCause;

#define SAMPLE_CAUSES_MAX 16u

/* The causes, the one that says most first; the last is none. NULL past it. */
const SampleCause *sample_cause_at(size_t index);

MarkClass sample_cause_class(size_t index);

/* The word for samples of @class, which is also their class of CSS. */
const char *sample_class_word(MarkClass class);

typedef struct DrawnSample {
        double at; /* within its process, 0 to 1 of the longest */
        double ns;
        unsigned cause; /* an index of sample_cause_at() */
        unsigned process;
} DrawnSample;

typedef struct SampleSet {
        DrawnSample *samples;
        size_t n;
        size_t n_processes;
        size_t n_by_cause[SAMPLE_CAUSES_MAX];
        size_t n_by_class[_MARK_CLASS_N];
} SampleSet;

/* Reads those of @benchmark, none where it has none. Returns 0 or a negative errno. */
int sample_set_read(const json_t *benchmark, SampleSet *ret_set);
void sample_set_clear(SampleSet *set);

MarkClass sample_class(const DrawnSample *sample);

/* The times of @class, ascending. Returns an array that is the caller's, of n_by_class, or NULL if memory ran out. */
double *sample_set_sorted(const SampleSet *set, MarkClass class);

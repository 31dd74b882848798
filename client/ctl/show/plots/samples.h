/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The samples of a benchmark for pictures, from processes[].samples of its JSON, which a result has only on request; and the range of times
 * that a picture shows. Pure.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "words/mark.h"

typedef struct AmountTimeUnit AmountTimeUnit;
typedef struct json_t json_t;

/* The word for samples of @class. */
const char *sample_class_word(MarkClass class);

typedef struct PlotSample {
        double at; /* the process, from 0, and the share of its duration */
        double time_ns;
        uint32_t marks;
        MarkClass class;
        unsigned first; /* of its marks, by mark_by_weight() */
} PlotSample;

typedef struct PlotSamples {
        PlotSample *samples; /* in order */
        size_t n;            /* 0: none were kept */
        size_t n_processes;
        size_t n_of_class[_MARK_CLASS_N];
        size_t n_of_first[MARKS_N + 1];
} PlotSamples;

/* True if some of @benchmarks has its samples. */
bool samples_were_kept(const json_t *benchmarks);

/* Reads the samples of @benchmark. Returns 0 or a negative errno. */
int samples_read(const json_t *benchmark, PlotSamples *ret_samples);
void samples_clear(PlotSamples *samples);

/*
 * Keeps those samples of @samples that its headline is of, the quiet ones if there are any; and moves them into one half of their processes'
 * places, the first or the second, to make room for those of another side.
 */
void samples_keep_half(PlotSamples *samples, bool second);

typedef struct SamplesRange {
        double low, high;
        const AmountTimeUnit *unit; /* in which they are shown; NULL: the best one */
} SamplesRange;

/* An empty range; its times are shown in @unit. */
SamplesRange samples_range(const AmountTimeUnit *unit);

/*
 * Widens @range by the times that a picture of @benchmark shows: medians, modes, the headline, the quiet samples except for a far tail, and
 * samples of other classes that are many or near. Returns 0 or a negative errno.
 */
int samples_range_add(SamplesRange *range, const json_t *benchmark, const PlotSamples *samples);

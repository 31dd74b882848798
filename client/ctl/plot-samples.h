/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The samples of a benchmark as pictures need them, from its JSON; and the range of times that a picture shows. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "ctl/marks.h"

typedef struct json_t json_t;

typedef struct PlotSample {
        double at; /* the process, from 0, and the share of its duration */
        double time_ns;
        uint32_t marks;
        MarkClass class;
} PlotSample;

typedef struct PlotSamples {
        PlotSample *samples; /* in order */
        size_t n;            /* 0: none were kept */
        size_t n_processes;
        size_t n_of_class[_MARK_CLASS_N];
} PlotSamples;

/* Reads those of @benchmark. Returns 0 or a negative errno. */
int plot_samples_read(const json_t *benchmark, PlotSamples *ret_samples);
void plot_samples_clear(PlotSamples *samples);

typedef struct PlotRange {
        double low;
        double high;
} PlotRange;

/*
 * Widens @range by the times that a picture of @benchmark shows: the medians, the interval, the quiet samples but for a far tail, and
 * where the others are many or near most of them. A range is first empty, { INFINITY, -INFINITY }. Returns 0 or a negative errno.
 */
int plot_range_add(const json_t *benchmark, const PlotSamples *samples, PlotRange *range);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Series: one time over runs of one kind, in time order. A run is marked where it leaves the level of the runs before it by more than
 * runs differ from each other where nothing changed.
 *
 * The level is the median of the last SERIES_LEVEL_RUNS runs before; the variance of a median of n is pi / 2 / n that of a run. The
 * variance of a run is half the mean square of successive differences (von Neumann, Kent, Bellinson and Hart, Annals of Mathematical
 * Statistics 12, 1941) of the last SERIES_SPREAD_RUNS: a drift hardly widens it, and a step is one difference. A run gone wrong makes two
 * large ones, so those beyond SERIES_CLIP times the standard deviation that their median tells of are left out. The freedom is that of
 * normal values, 2 (n - 1)^2 / (3 n - 4). The variance is no less than the usual one of the runs' own intervals, and the excess of the
 * run's own is added. The distance beyond the margin is Student's. Simulated without a change, up to 1.4 % of runs are marked at a
 * confidence of 99 %; where a level of 2 % resembles the one before by 0.8, which successive differences take for less, up to 8 %.
 *
 * Under SERIES_RUNS_MIN runs before say too little of their spread. Then a wide margin stands for it, and the intervals of both sides
 * for the rest.
 */

#include <stddef.h>

#define SERIES_LEVEL_RUNS  10u
#define SERIES_SPREAD_RUNS 30u
#define SERIES_RUNS_MIN    5u
#define SERIES_CLIP        4.0

typedef struct SeriesRun {
        double log;  /* of the time */
        double half; /* of its 95 % interval, of logs */
} SeriesRun;

typedef struct SeriesRule {
        double confidence; /* such as 0.99 */
        double margin;     /* relative: a smaller change is none */
        double margin_few; /* the same, under SERIES_RUNS_MIN runs before */
} SeriesRule;

typedef enum SeriesMark {
        SERIES_NONE,
        SERIES_FASTER,
        SERIES_SLOWER,
} SeriesMark;

/* The mark of the last of @n (1 or more) runs by those before it. */
SeriesMark series_mark(const SeriesRun *runs, size_t n, const SeriesRule *rule);

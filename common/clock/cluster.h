/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The lowest cluster of readings: a neighbour on the core and an interrupt make a reading longer, never shorter, so those that had the core
 * alone lie together at the lower end, however few they are.
 */

#include <stddef.h>

/* Within the readings that were sorted: a part of them. */
typedef struct Cluster {
        const double *readings;
        size_t n;
} Cluster;

/*
 * Finds the lowest of @n readings, which are sorted: those up to @width (over 1) times the lowest but for a few, which may lie there by
 * chance, and @step above that, by which a clock spreads equal readings. Pure.
 */
Cluster cluster_lowest(double *readings, size_t n, double width, double step);

/* The middle half of @n readings, which are sorted: of those that are known to have had the core alone. Pure. */
Cluster cluster_middle(double *readings, size_t n);

/* Both are 0 of an empty cluster. A median falls on a step of the clock, a mean between two. */
double cluster_median(Cluster cluster);
double cluster_mean(Cluster cluster);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The arguments that a module declares, each an axis of a sweep: refused in words where no row can be made of them, and
 * copied into the listing.
 */

#include <stdbool.h>

#include "ops/sample-block.h"

struct bench_args;
struct bench_axis;

/* True if @args, those of the benchmark that is called @row, can be run. Else that is the end in @head. */
bool axis_check_all(const struct bench_args *args, const char *row, BlockHead *head);

/* Copies @axis, which is checked. */
void axis_list(const struct bench_axis *axis, ListingAxis *ret_axis);

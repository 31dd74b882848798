/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module: checked to be what this machine can load, and, once the process has started with it, found to hold benchmarks that can be
 * named.
 *
 * The checks give clear words, not safety: the module's code runs in here anyway. Each failure is an end in the report.
 */

#include <stdbool.h>

#include "ops/block.h"

struct bench_area;
struct bench_descriptor;
struct bench_module;

typedef struct Module {
        const struct bench_module *tables;
} Module;

/* True if @fd holds a shared object for this machine; else an end in @head says what it holds. */
bool module_check_elf(int fd, BlockHead *head);

/* Finds the module that was loaded from @path, whose file is @fd. False, with an end in @head, where it is none. */
bool module_adopt(const char *path, int fd, BlockHead *head, Module *ret_module);

/* Writes the area of @descriptor: its own, or that of its source file. */
void module_area(const struct bench_descriptor *descriptor, char area[static RUNNER_NAME_MAX]);

/* Finds a benchmark; NULL, with an end in @head, if there is none. */
const struct bench_descriptor *module_find(const Module *module, const char *area, const char *name, BlockHead *head);

/* The options of the area called @name; NULL if the module does not describe it. */
const struct bench_area *module_find_area(const Module *module, const char *name);

/*
 * The arguments that a module declares, each an axis of a sweep: refused in words where no row can be made of them, and
 * copied into the listing.
 */

struct bench_args;
struct bench_axis;

/* Copies @axis, which is checked. */
void module_axis_list(const struct bench_axis *axis, ListingAxis *ret_axis);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module: a file that is checked to be loadable on this machine and, once the process has started with it, to have valid
 * benchmarks.
 *
 * The checks give clear messages, not safety: the module's code runs in this process anyway. Each failure is reported
 * as an end.
 */

#include <stdbool.h>

#include "ops/block.h"

struct bench_area;
struct bench_descriptor;
struct bench_module;

typedef struct Module {
        const struct bench_module *tables;
} Module;

/* True if @fd is a shared object for this machine; else an end in @head says what it is. */
bool module_check_elf(int fd, BlockHead *head);

/*
 * Finds the module that was loaded from @path, whose file is @fd. False, with an end in @head, if it is not a module.
 */
bool module_adopt(const char *path, int fd, BlockHead *head, Module *ret_module);

/* Writes the area of @descriptor: its own, or the default of its source file. */
void module_area(const struct bench_descriptor *descriptor, char area[static RUNNER_NAME_MAX]);

/* Finds a benchmark; NULL, with an end in @head, if there is none. */
const struct bench_descriptor *module_find(const Module *module, const char *area, const char *name, BlockHead *head);

/* The options of the area called @name; NULL if the module does not describe it. */
const struct bench_area *module_find_area(const Module *module, const char *name);

/*
 * The arguments that a module declares, each an axis of a sweep: invalid ones are refused with a message, valid ones
 * copied into the listing.
 */

struct bench_args;
struct bench_axis;

/* Copies @axis, which is checked. */
void module_axis_list(const struct bench_axis *axis, ListingAxis *ret_axis);

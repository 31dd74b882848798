/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * A module: checked to be what this machine can load, loaded, and found to hold benchmarks that can be named.
 *
 * The checks give clear words, not safety: the module's code runs in here anyway. Each failure is an end in the report.
 */

#include <stdbool.h>

#include "ops/sample-block.h"

struct bench_area;
struct bench_descriptor;
struct bench_module;

typedef struct Module {
        const struct bench_module *tables;
} Module;

/*
 * Loads @n_libraries from the descriptors that follow @fd, in order, then the module in @fd. Constructors run. False, with
 * an end in @head, where that does not work.
 */
bool module_load(int fd, uint32_t n_libraries, BlockHead *head, Module *ret_module);

/* Writes the area of @descriptor: its own, or the name of its source file without ending. */
void module_area(const struct bench_descriptor *descriptor, char area[static RUNNER_NAME_MAX]);

/* Finds a benchmark; NULL, with an end in @head, if there is none. */
const struct bench_descriptor *module_find(const Module *module, const char *area, const char *name, BlockHead *head);

/* The options of the area called @name; NULL if the module does not describe it. */
const struct bench_area *module_find_area(const Module *module, const char *name);

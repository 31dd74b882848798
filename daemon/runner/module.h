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

typedef struct Libraries Libraries;
typedef struct UniqueSide UniqueSide;

typedef struct Module {
        const struct bench_module *tables;
} Module;

/* How a module or library is copied before it is loaded. */
typedef struct ModuleCopyWish {
        bool library; /* holds no benchmarks; the loader says what is wrong with it */
        const UniqueSide *
                        apart; /* beside another that may be a build of the same: it shares nothing with that; NULL: alone */
        bool moves;            /* within its cache line, if it can be */
        uint32_t image_offset_bytes; /* ... so far */
} ModuleCopyWish;

/* The place of a copy. */
typedef struct ModulePlace {
        ImageState state;
        uint32_t image_offset_bytes;
} ModulePlace;

/*
 * Copies the module or library in @fd. Returns a descriptor, which stays open, since its number is the loader's name for it; -1, with an end
 * in @head, where that does not work. A module that cannot be moved is copied as it is, and @ret_place says why.
 */
int module_copy(int fd, const ModuleCopyWish *copy, BlockHead *head, ModulePlace *ret_place);

/*
 * Loads the module in @fd, which needs @libraries. Constructors run. False, with an end in @head, where that does not work.
 */
bool module_load(int fd, const Libraries *libraries, BlockHead *head, Module *ret_module);

/* The same by paths. The loader searches what they need by itself; libraries beside the file are the last resort. */
bool module_load_paths(const char *path, const char *const *libraries, size_t n_libraries, BlockHead *head,
                Module *ret_module);

/* Writes the area of @descriptor: its own, or that of its source file. */
void module_area(const struct bench_descriptor *descriptor, char area[static RUNNER_NAME_MAX]);

/* Finds a benchmark; NULL, with an end in @head, if there is none. */
const struct bench_descriptor *module_find(const Module *module, const char *area, const char *name, BlockHead *head);

/* The options of the area called @name; NULL if the module does not describe it. */
const struct bench_area *module_find_area(const Module *module, const char *name);

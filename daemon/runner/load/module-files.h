/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files of one side of a plan, as descriptors: its module and the libraries that come along. Laid out for the loader: a link for each in
 * the run's directory, by the name that other files and the body know it by, and copies where a file cannot stay as it came.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/load/start.h"

typedef struct ModuleFiles {
        int fd;
        int libraries_fd; /* and the following, n_libraries */
        uint32_t n_libraries;
        uint32_t n_preloaded; /* of these, the first ones */
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX];
        const char *name; /* of the module in the run's directory; empty: none */
        int original_fd;  /* the module as it came, once it is laid out */
} ModuleFiles;

/* Finds those of side @side of @plan, which must outlive @ret_files. */
void module_files_find(const RunnerPlan *plan, uint32_t side, ModuleFiles *ret_files);

/* The paths under which the loader is to open them, once they are laid out. */
typedef struct ModulePaths {
        char directory[RUNNER_PATH_MAX]; /* empty: there is none to search */
        char module[RUNNER_PATH_MAX];
        char libraries[RUNNER_LIBRARIES_MAX][RUNNER_PATH_MAX];
        StartLibrary rows[RUNNER_LIBRARIES_MAX];
} ModulePaths;

/* The place of the module that is loaded. */
typedef struct ModulePlace {
        SampleImageState state;
        uint32_t image_offset_bytes;
} ModulePlace;

/*
 * Lays @files out in the working directory. False, with an end in @head, where they are none that can be loaded, or where it does not
 * work.
 */
bool module_files_lay_out(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head,
                ModulePaths *ret_paths, ModulePlace *ret_place);

/* After the second start: true if all that are to be preloaded are; else an end in @head. */
bool module_files_check_preloaded(const ModuleFiles *files, BlockHead *head);

/* Names them to those who find the place of a crash. */
void module_files_tell_crash(const ModuleFiles *files, const ModulePlace *place);

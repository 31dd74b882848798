/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The files of one side of a plan, as descriptors: its module and the libraries sent along. For the loader each gets a link in the run's
 * directory, under the name that other files and the body use, and a copy if the file has to be changed.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ops/block.h"
#include "runner/load/start.h"

typedef struct ModuleFiles {
        int fd;
        int libraries_fd; /* and the following, n_libraries */
        uint32_t n_libraries;
        uint32_t n_preloaded; /* the first ones of these */
        const char (*library_names)[RUNNER_LIBRARY_NAME_MAX];
        const char *name; /* of the module in the run's directory; empty: none */
        int original_fd;  /* the unchanged module, once it is laid out */
} ModuleFiles;

/* Finds the files of side @side of @plan, which must outlive @ret_files. */
void module_files_find(const RunnerPlan *plan, uint32_t side, ModuleFiles *ret_files);

/* The paths for the loader, once the files are laid out. */
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
        uint32_t n_links;
} ModulePlace;

/* Lays @files out in the working directory. False, with an end in @head, if they cannot be loaded or laid out. */
bool module_files_lay_out(const RunnerPlan *plan, uint32_t side, const ModuleFiles *files, BlockHead *head,
                ModulePaths *ret_paths, ModulePlace *ret_place);

/* Call it after the second start: true if all preloaded libraries are there; else an end in @head. */
bool module_files_check_preloaded(const ModuleFiles *files, BlockHead *head);

/* Passes the files on to crash_add_file(). */
void module_files_tell_crash(const ModuleFiles *files, const ModulePlace *place);

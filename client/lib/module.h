/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A module and its libraries as sealed memfds, libraries in the order to load them: each after those that it needs.
 */

#include <stddef.h>

#include "benchd/client.h"

#define MODULE_LIBRARIES_MAX 16u

typedef struct ModuleFile {
        char *name; /* a library's soname, the module's file name */
        int fd;     /* -1: not there */
        size_t size;
} ModuleFile;

typedef struct benchd_module {
        ModuleFile file;
        ModuleFile libraries[MODULE_LIBRARIES_MAX];
        size_t n_libraries;
        char *missing;
        char *benchmark; /* the one that a comparison is about; NULL: all */
} benchd_module;

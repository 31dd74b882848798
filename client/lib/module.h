/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A module and its libraries as sealed memfds: first the preloaded libraries in their order, then the others, each after the libraries that
 * it needs.
 */

#include <stddef.h>

#include "benchd.pb-c.h"
#include "benchd/client.h"
#include "lib/module-file.h"

#define MODULE_LIBRARIES_MAX 16u

typedef struct benchd_module {
        ModuleFile file;
        ModuleFile libraries[MODULE_LIBRARIES_MAX];
        size_t n_libraries;
        size_t n_preloaded; /* of these */
        char *missing;
        char *run_id;          /* the earlier job that measured it; NULL: a file */
        char *benchmark;       /* a comparison's; NULL: all */
        Benchd__Commit commit; /* with an id, its texts owned; without: none is told */
} benchd_module;

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Module request: the fields that requests to run, to compare and to list have in common. They name a module and say how it is
 * loaded. Borrowed from the request.
 */

#include <stddef.h>

#include "proto/benchd.pb-c.h"

typedef struct ModuleRequest {
        const char *run_id; /* of an earlier job, whose module is meant; NULL: the module comes with the request */
        const char *name;   /* never NULL */
        char **library_names;
        size_t n_libraries;
        size_t n_preloaded; /* of these, the first ones */
        char **filters;
        size_t n_filters;
        char **environment;
        size_t n_environment;
} ModuleRequest;

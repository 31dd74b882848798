/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Module request: the fields common to requests to run, compare, list and inspect. They name a module and say how to load it. Borrowed from
 * the request.
 */

#include <stddef.h>

#include "proto/benchd.pb-c.h"

typedef struct ModuleRequest {
        const char *run_id; /* the earlier job whose module is meant; NULL: the module comes with the request */
        const char *name;   /* never NULL */
        const Benchd__Commit *commit; /* NULL: none is told */
        char **library_names;
        size_t n_libraries;
        size_t n_preloaded; /* of these, the first n are preloaded */
        char **filters;
        size_t n_filters;
        char **environment;
        size_t n_environment;
} ModuleRequest;

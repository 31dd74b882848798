/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * The part that requests to run, compare and list have in common: which module, and how it is loaded. Borrowed from the request.
 */

#include <stddef.h>

#include "proto/benchd.pb-c.h"

typedef struct ModuleRequest {
        const char *run_id; /* the module is the one that this earlier job measured; NULL: it comes with the request */
        const char *name;   /* never NULL */
        char **library_names;
        size_t n_libraries;
        char **filters;
        size_t n_filters;
        char **environment;
        size_t n_environment;
} ModuleRequest;

ModuleRequest module_request_of_run(const Benchd__RunRequest *run);
ModuleRequest module_request_of_comparison(const Benchd__Comparison *comparison); /* of the old side */
ModuleRequest module_request_of_list(const Benchd__ListRequest *list);

/* How many descriptors come with it. */
size_t module_request_count_fds(const ModuleRequest *request);

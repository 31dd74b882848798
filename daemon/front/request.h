/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Requests as they came from the wire, checked: every count, length and value within its range before anything is done
 * with it. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/complaint.h"

#define REQUEST_NAME_MAX        255u
#define REQUEST_FILTERS_MAX     64u
#define REQUEST_ENVIRONMENT_MAX 4000u /* bytes of all assignments, each with its end */
#define REQUEST_BUDGET_MAX_NS   (24ull * 3600 * 1000000000)

enum {
        _REQUEST_E_SUCCESS,

        REQUEST_E_BAD, /* the complaint says why */
};

/* What RunRequest and ListRequest have in common: borrowed from either. */
typedef struct ModuleRequest {
        const char *name; /* never NULL */
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

/* Checks what a module request holds and that @n_fds descriptors are what it names. Returns 0 or E_BAD. */
int module_request_check(const ModuleRequest *request, size_t n_fds, Complaint *ret_complaint);

/* The same of a run's modules: one, or the two of a comparison. */
int run_request_check_modules(const Benchd__RunRequest *run, size_t n_fds, Complaint *ret_complaint);

/* Checks the options of a run, whose processes may be given @timeout_max_ns. Returns 0 or E_BAD. */
int run_request_check(const Benchd__RunRequest *run, uint64_t timeout_max_ns, Complaint *ret_complaint);

/* How many of a request's alternatives are set: exactly one must be. */
size_t request_count_set(const Benchd__Request *request);

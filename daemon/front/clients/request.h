/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/*
 * Checks of requests from the wire: every count, length and value is within its range before it is used. Pure.
 */

#include <stddef.h>
#include <stdint.h>

#include "front/base/reply-error.h"
#include "front/plan/module-request.h"
#include "ops/runner-plan.h"

typedef struct Config Config;

#define REQUEST_NAME_MAX        255u
#define REQUEST_FILTERS_MAX     64u
#define REQUEST_ENVIRONMENT_MAX 4000u /* bytes of all assignments, each with its end */
#define REQUEST_COMMANDS_MAX    64u
#define REQUEST_COMMANDS_BYTES  16384u /* of all texts, and of their parameters */
#define REQUEST_PARAMETERS_MAX  512u

enum {
        _REQUEST_E_SUCCESS,

        REQUEST_E_BAD, /* ret_why has the reason */
};

ModuleRequest request_module_of_run(const Benchd__RunRequest *run);
ModuleRequest request_module_of_comparison(const Benchd__Comparison *comparison); /* of the old side */
ModuleRequest request_module_of_list(const Benchd__ListRequest *list);
ModuleRequest request_module_of_inspect(const Benchd__InspectRequest *inspect);

/* The number of descriptors that come with @request. */
size_t request_count_fds(const ModuleRequest *request);

/* Reads the module of each side of a run or a list. Returns their number. */
size_t request_read_modules(const Benchd__Request *request, ModuleRequest ret_wants[static RUNNER_SIDES_MAX]);

/* Checks a module request, and that it names exactly @n_fds descriptors. Returns 0 or E_BAD. */
int request_check_module(const ModuleRequest *request, size_t n_fds, ReplyError *ret_why);

/* The same for a run's modules (one, or a comparison's two) and inputs, whose descriptors come last. */
int request_check_modules(const Benchd__RunRequest *run, size_t n_fds, ReplyError *ret_why);

/* Checks the name in @inspect. Returns 0 or E_BAD. */
int request_check_inspect(const Benchd__InspectRequest *inspect, ReplyError *ret_why);

/* Checks the options of a run against the limits of @config. Returns 0 or E_BAD. */
int request_check_run(const Benchd__RunRequest *run, const Config *config, ReplyError *ret_why);

/* Counts the alternatives of a request that are set: exactly one must be. */
size_t request_count_set(const Benchd__Request *request);

/* The job that @request names by its run_id; NULL if it names none. */
const char *request_run_id(const Benchd__Request *request);

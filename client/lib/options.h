/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options of a run as typed: parses words to fields of a RunRequest, by the table in proto/run-options.c.
 */

#include <stdbool.h>
#include <stddef.h>

#include "benchd.pb-c.h"

#define OPTIONS_FILTERS_MAX           64u
#define OPTIONS_DIRECTORY_MAX         191u /* bytes: one less than the daemon has room for */
#define OPTIONS_SEEN_MAX              8u
#define OPTIONS_ENVIRONMENT_MAX       64u
#define OPTIONS_ENVIRONMENT_BYTES_MAX 4000u /* each with its end */
#define OPTIONS_COMMANDS_MAX          64u
#define OPTIONS_COMMANDS_BYTES_MAX    16384u
#define OPTIONS_PARAMETERS_MAX        512u
#define OPTIONS_INPUTS_MAX            8u
#define OPTIONS_PROBLEM_MAX           160u

typedef struct benchd_options {
        Benchd__RunRequest request; /* its strings are the options' own; module and libraries are empty */
        size_t n_environment_bytes;
        size_t n_command_bytes;
        int input_fds[OPTIONS_INPUTS_MAX]; /* sealed memfds, one for each of the request's names */
        size_t input_bytes_most;           /* of the largest */
        char problem[OPTIONS_PROBLEM_MAX];
} benchd_options;

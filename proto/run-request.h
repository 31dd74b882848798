/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Access to the fields of a RunRequest by option row, for all types: only this module knows where a row's field is.
 */

#include "proto/benchd.pb-c.h"
#include "proto/run-options.h"

/* True if @request has a value for @option. */
bool run_request_has(const Benchd__RunRequest *request, const RunOption *option);

/* True if the value also differs from the default: a false flag asks for nothing. */
bool run_request_asks(const Benchd__RunRequest *request, const RunOption *option);

/* The value of a number (percentages separately) or a flag; 0 if @request has none. */
uint64_t run_request_number(const Benchd__RunRequest *request, const RunOption *option);
double run_request_fraction(const Benchd__RunRequest *request, const RunOption *option);

void run_request_set_number(Benchd__RunRequest *request, const RunOption *option, uint64_t number);
void run_request_set_fraction(Benchd__RunRequest *request, const RunOption *option, double fraction);

/* The address of a text field; the caller owns the text. */
char **run_request_text(Benchd__RunRequest *request, const RunOption *option);

/* True if the number of @option is within its bounds. */
bool run_request_is_in_range(const Benchd__RunRequest *request, const RunOption *option);
